"""What the restaurants' booking desk can do: parsed by the library, never imported; run only in the sandbox."""
