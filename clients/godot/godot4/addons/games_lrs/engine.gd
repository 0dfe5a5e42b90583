extends RefCounted
# What Godot 3 and Godot 4 do in ways that no line-by-line replacement covers. Each has its own such file.


# An open file, or null. It is closed when nothing refers to it.
static func open_file(path: String, mode: int):
	return FileAccess.open(path, mode)


# What was stored outlives the process.
static func flush(file):
	file.flush()


static func has_file(path: String) -> bool:
	return FileAccess.file_exists(path)


# Of a file that was there.
static func is_still_there(path: String) -> bool:
	return FileAccess.file_exists(path)


# "" when it cannot be read.
static func read_file(path: String) -> String:
	return FileAccess.get_file_as_string(path)


static func remove_file(path: String):
	DirAccess.remove_absolute(path)


static func rename_file(from: String, to: String) -> int:
	return DirAccess.rename_absolute(from, to)


static func make_folder(path: String):
	DirAccess.make_dir_recursive_absolute(path)


# Names of the files in a folder, or null when it cannot be opened.
static func files_in(folder: String):
	var directory = DirAccess.open(folder)
	return Array(directory.get_files()) if directory != null else null


# The items from this one on.
static func rest(items: Array, from: int) -> Array:
	return items.slice(from)


# null when it is no JSON.
static func parse_json(text: String):
	var json = JSON.new()
	return json.data if json.parse(text) == OK else null
