# Made from godot4/addons/games_lrs/queue.gd by clients/godot/build.ts. Edit that.
extends Reference
# The statements of one owner that wait to be sent, in their order, as text that never changes. They are in memory and
# in a file of this process: a line for each statement, and a line with the number of those that were sent.
# A process reads what earlier ones left, and writes it into its own file.

const Browser = preload("browser.gd")
const Godot = preload("engine.gd")
const Json = preload("json.gd")

const LIMIT = 10000
const AGAIN_MS = 5000

var _folder: String
var _path: String
var _texts = []
var _first = 1  # key of the first text
var _lines = 0  # statements in the file
var _length = 0  # bytes of the file
var _file  # it stays open while this process owns it
var _again = 0  # the file is not rewritten before that
var _told = false


func _init(folder: String, owner: String):
	_folder = folder.plus_file(owner.sha256_text().left(32))
	Godot.make_folder(_folder)
	_path = _new_path()
	_adopt()


func size() -> int:
	return _texts.size()


# False: it is full.
func add(text: String) -> bool:
	if _texts.size() >= LIMIT:
		return false
	_texts.append(text)
	_lines += 1
	_append(text)
	return true


# The first ones that fit into a request, at least one: {texts, key of the last}.
func first(count: int, bytes: int) -> Dictionary:
	var texts = []
	var room = bytes - 1
	for at in int(min(count, _texts.size())):
		var text = _texts[at]
		room -= text.to_utf8().size() + 1
		if room < 0 and not texts.empty():
			break
		texts.append(text)
	return {"texts": texts, "last": _first + texts.size() - 1}


# All up to this key are done with.
func remove(last: int):
	var count = last - _first + 1
	if count <= 0:
		return
	_first += count
	_texts = Godot.rest(_texts, count)
	if _texts.empty() or _lines > 2 * LIMIT:
		_rewrite()
	else:
		_append(str(_lines - _texts.size()))


func clear():
	remove(_first + _texts.size() - 1)


# These of the first ones were refused: they are done with.
func drop(indices: Dictionary):
	if indices.empty():
		return
	var left = []
	for at in _texts.size():
		if not indices.has(at):
			left.append(_texts[at])
	_first += indices.size()
	_texts = left
	_rewrite()


# Written out at once: what the system has outlives the process.
func _append(line: String):
	if _file == null:
		_file = Godot.open_file(_path, File.READ_WRITE if _length != 0 else File.WRITE)
		if _file != null:
			_file.seek_end()
	# rewritten when it is not as we left it: the disk was full, or another process of this game took it over
	if _file == null or _file.get_len() != _length:
		return _rewrite()
	_file.store_string(line + "\n")
	Godot.flush(_file)
	_length = _file.get_position()
	if Browser.is_here():
		_close()  # a page keeps what closed files have
	if not Godot.is_still_there(_path):
		_rewrite()


func _close():
	if _file != null:
		_file.close()
	_file = null


# What waits, in another file; then the old one goes. Without room for it the old one stays, until a later attempt.
func _rewrite():
	_close()
	if not _texts.empty() and OS.get_ticks_msec() < _again:
		return
	var path = _new_path()
	if not _texts.empty() and not _write(path):
		_again = OS.get_ticks_msec() + AGAIN_MS
		_length = -1
		Godot.remove_file(path)
		return _tell()
	if _length_of(_path) > 0:
		Godot.remove_file(_path)
	_path = path
	_lines = _texts.size()
	_length = _length_of(path)


func _write(path: String) -> bool:
	var file = Godot.open_file(path, File.WRITE)
	if file == null:
		return false
	for text in _texts:
		file.store_string(text + "\n")
	var length = file.get_position()
	file.close()
	return _length_of(path) == length


func _length_of(path: String) -> int:
	var file = Godot.open_file(path, File.READ) if Godot.has_file(path) else null
	return file.get_len() if file != null else 0


func _adopt():
	var names = Godot.files_in(_folder)
	if names == null:
		return _tell()
	names.sort()
	var taken = []
	var seen = {}
	for old in names:
		if not old.ends_with(".queue"):
			continue
		# renamed, so that a process that still has it sees that it is gone
		var claimed = old.get_basename().left(24) + _random() + ".queue"
		if Godot.rename_file(_folder.plus_file(old), _folder.plus_file(claimed)) == OK:
			taken.append(claimed)
			for text in _read(_folder.plus_file(claimed)):
				if not seen.has(text):
					seen[text] = true
					_texts.append(text)
	if not taken.empty():
		_rewrite()
	if _length >= 0:
		for claimed in taken:
			Godot.remove_file(_folder.plus_file(claimed))


# A torn line is dropped: nobody was told that it is kept.
func _read(path: String) -> Array:
	var lines = Godot.read_file(path).split("\n")
	lines.remove(lines.size() - 1)
	var texts = []
	var done = 0
	for line in lines:
		if line.is_valid_integer():
			done = int(line)
		elif line != "":
			texts.append(line)
	var left = []
	for text in Godot.rest(texts, done):
		if Json.read(text) is Dictionary:
			left.append(text)
	return left


func _new_path() -> String:
	return _folder.plus_file("%016d-%s.queue" % [OS.get_system_time_msecs(), _random()])


func _random() -> String:
	return "%08x" % (randi() & 0x7FFFFFFF)


func _tell():
	if not _told:
		push_warning("games-lrs: no statement can be kept in %s; they wait in memory only." % _folder)
	_told = true
