# Made from conformance/godot4/driver.gd by clients/godot/build.ts. Edit that.
extends Node
# Does what the conformance suite says, one line of JSON at a time (clients/README.md). Ends with its connection.

const Json = preload("res://addons/games_lrs/json.gd")

var _wire = StreamPeerTCP.new()
var _unread = PoolByteArray()


func _ready():
	GamesLrs.connect("error", self, "_refused")
	_wire.connect_to_host("127.0.0.1", int(OS.get_environment("DRIVER_PORT")))


func _process(_delta):
	if _wire.get_status() == StreamPeerTCP.STATUS_CONNECTING:
		return
	if _wire.get_status() != StreamPeerTCP.STATUS_CONNECTED:
		get_tree().quit()
		return
	var available = _wire.get_available_bytes()
	for byte in _wire.get_data(available)[1] if available > 0 else []:
		_unread.append(byte)
		if byte == 10:
			var line = _unread.get_string_from_utf8()
			_unread = PoolByteArray()
			_take(Json.read(line))


func _take(command: Dictionary):
	var answer = {"n": command.n}
	var done = _do(command)
	if done is GDScriptFunctionState:
		done = yield(done, "completed")
	if done is Dictionary and done.has("failed"):
		answer["error"] = {"status": done.failed, "message": done.message}
	else:
		answer["ok"] = done
	_tell(answer)
	if command["do"] == "quit":
		get_tree().quit()


func _do(command: Dictionary):
	match command["do"]:
		"connect":
			var options = {"folder": OS.get_environment("DRIVER_FOLDER"), "consent": command.get("consent", true)}
			for name in ["launch", "version", "engine"]:
				if command.get(name) != null:
					options[name] = command[name]
			options["debug"] = command.get("debug", false)
			return {"launched": GamesLrs.open(options)}
		"say":
			return _id(GamesLrs.call(command.verb, command.get("activity"), command.get("result")))
		"send":
			return _id(GamesLrs.send(command.statement))
		"many":
			var ids = []
			for at in command.count:
				ids.append(_id(GamesLrs.progressed("event/%d" % (command.get("from", 0) + at))))
			return ids
		"flush":
			yield(GamesLrs.flush(), "completed")
			return true
		"pending":
			return GamesLrs.pending()
		"pause":
			get_tree().root.propagate_notification(MainLoop.NOTIFICATION_WM_FOCUS_OUT)
			return true
		"consent":
			GamesLrs.set_consent(command.granted)
			return true
		"quit":
			return true
		_:
			return _document(command)


func _document(command: Dictionary):
	var documents
	match command.of:
		"state":
			documents = GamesLrs.state()
		"activityProfile":
			documents = GamesLrs.activity_profile()
		_:
			documents = GamesLrs.agent_profile()
	var answer
	match command["do"]:
		"put":
			answer = documents.put(command.id, command.value, command.get("etag", ""))
			if answer is GDScriptFunctionState:
				answer = yield(answer, "completed")
		"get":
			answer = documents.read(command.id)
			if answer is GDScriptFunctionState:
				answer = yield(answer, "completed")
		"merge":
			answer = documents.merge(command.id, command.value)
			if answer is GDScriptFunctionState:
				answer = yield(answer, "completed")
		"remove":
			answer = documents.remove(command.id)
			if answer is GDScriptFunctionState:
				answer = yield(answer, "completed")
		"list":
			answer = documents.list()
			if answer is GDScriptFunctionState:
				answer = yield(answer, "completed")
	if not answer.ok:
		return {"failed": answer.status, "message": answer.message}
	match command["do"]:
		"get":
			return null if answer.etag == null else {"value": answer.value, "etag": answer.etag}
		"list":
			return answer.value
		"put":
			return answer.etag
	return true


func _id(id: String):
	return id if id != "" else null


func _refused(status: int, message: String, statement):
	var id = null if statement == null else statement.get("id")
	_tell({"event": "error", "status": status, "message": message, "id": id})


func _tell(line: Dictionary):
	_wire.put_data((Json.write(line) + "\n").to_utf8())
