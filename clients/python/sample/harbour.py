"""A level that begins, is half done and is won: python3 harbour.py, beside a launch.json."""

import games_lrs

lrs = games_lrs.connect(version="1.0.0")  # without a launch context the game plays on, and nothing is reported
level = {"id": "level-1", "name": "Level 1", "type": "level"}
lrs.initialized(level)
lrs.progressed(level, 0.5)
lrs.completed(level, {"score": 0.8, "success": True})

saves = lrs.state()
save = saves.get("save")  # (value, etag), or None
saves.put("save", {"level": 2}, save.etag if save else None)  # LrsError 412 when another machine was faster

lrs.close()  # sends what waits, 3 s at most; so does the end of the process
