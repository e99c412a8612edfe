"""The sports clubs' functions by theme: parsed and run in the sandbox, never imported by the library."""
