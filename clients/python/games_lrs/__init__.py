"""Reports what players do to a learning record store: queue on disk, batches, retries, documents, launch context."""

from .client import Client, connect
from .documents import Document, Documents
from .launch import Launch, basic, read_launch
from .transport import LrsError

__version__ = "0.1.0"
__all__ = ["Client", "Document", "Documents", "Launch", "LrsError", "basic", "connect", "read_launch"]
