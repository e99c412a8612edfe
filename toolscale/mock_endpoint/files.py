"""OpenAI's files, as far as batches need them: uploaded as a form, kept in memory, read back."""

import time
from typing import Any

from aiohttp import BodyPartReader, web

from toolscale.openai_api.chat import ApiError


class Files:
    """All files of the server."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[dict[str, Any], bytes]] = {}

    async def upload(self, request: web.BaseRequest) -> dict[str, Any]:
        """Keep the file of a form with the fields `purpose` (`batch`) and `file`.

        Raises:
            ApiError: the request is no such form, or the file is too large.
        """
        purpose, name, content = "", "", None
        try:
            async for part in await request.multipart():
                if isinstance(part, BodyPartReader) and part.name == "purpose":
                    purpose = await part.text()
                elif isinstance(part, BodyPartReader) and part.name == "file":
                    name, content = part.filename or "file", bytes(await part.read())
        except web.HTTPRequestEntityTooLarge:
            raise ApiError(413, "malformed_request", "the file is too large") from None
        except (KeyError, ValueError, AssertionError):
            raise ApiError(400, "malformed_request", "a file is uploaded as multipart/form-data") from None
        if purpose != "batch":
            raise ApiError(400, "malformed_request", f"purpose: `{purpose}` is not served here, only `batch`")
        if content is None:
            raise ApiError(400, "malformed_request", "file: it is missing")
        return self.keep(content, name, purpose)

    def keep(self, content: bytes, name: str, purpose: str) -> dict[str, Any]:
        """Keep a file."""
        card = {
            "id": f"file-{len(self._files) + 1}",
            "object": "file",
            "bytes": len(content),
            "created_at": int(time.time()),
            "filename": name,
            "purpose": purpose,
            "status": "processed",
        }
        self._files[str(card["id"])] = (card, content)
        return card

    def card(self, file_id: str) -> dict[str, Any]:
        """What there is to say of a file.

        Raises:
            ApiError: there is none of that id.
        """
        return self._file(file_id)[0]

    def content(self, file_id: str) -> bytes:
        """What a file holds.

        Raises:
            ApiError: there is none of that id.
        """
        return self._file(file_id)[1]

    def _file(self, file_id: str) -> tuple[dict[str, Any], bytes]:
        if file_id not in self._files:
            raise ApiError(404, "unknown_file", f"no file `{file_id}` here")
        return self._files[file_id]
