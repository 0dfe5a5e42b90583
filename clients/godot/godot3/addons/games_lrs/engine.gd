extends Reference
# What Godot 3 and Godot 4 do in ways that no line-by-line replacement covers. Each has its own such file.


# An open file, or null. It is closed when nothing refers to it.
static func open_file(path: String, mode: int):
	var file = File.new()
	return file if file.open(path, mode) == OK else null


# What was stored outlives the process. Before Godot 3.4 there is no flush; seeking writes out, too.
static func flush(file):
	file.seek_end()


static func has_file(path: String) -> bool:
	return File.new().file_exists(path)


# Of a file that was there. file_exists would open it.
static func is_still_there(path: String) -> bool:
	return File.new().get_modified_time(path) != 0


# "" when it cannot be read.
static func read_file(path: String) -> String:
	var file = open_file(path, File.READ)
	return file.get_as_text() if file != null else ""


static func remove_file(path: String):
	Directory.new().remove(path)


static func rename_file(from: String, to: String) -> int:
	return Directory.new().rename(from, to)


static func make_folder(path: String):
	Directory.new().make_dir_recursive(path)


# Names of the files in a folder, or null when it cannot be opened.
static func files_in(folder: String):
	var directory = Directory.new()
	if directory.open(folder) != OK or directory.list_dir_begin(true, true) != OK:
		return null
	var names = []
	var name = directory.get_next()
	while name != "":
		if not directory.current_is_dir():
			names.append(name)
		name = directory.get_next()
	return names


# The items from this one on.
static func rest(items: Array, from: int) -> Array:
	return items.slice(from, items.size() - 1) if from < items.size() else []


# null when it is no JSON.
static func parse_json(text: String):
	if text == "":
		return null
	var parsed = JSON.parse(text)
	return parsed.result if parsed.error == OK else null
