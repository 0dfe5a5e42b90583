extends RefCounted
## Documents of one kind: saved games, settings. Every call is answered with a Dictionary:
## {ok, status, message, value, etag}. ok is false only when something went wrong; status is that of HTTP, 0 without an
## answer. A document that does not exist is ok, with null as value and etag.
##
##   var save = await GamesLrs.state().read("save")
##   if save.ok:
##       await GamesLrs.state().put("save", {"level": 2}, save.etag)

const Json = preload("json.gd")
const Session = preload("session.gd")
const Uri = preload("uri.gd")

var _session: Session
var _resource: String
var _id_name: String
var _parameters: Dictionary


# session: null without a launch; then there are no documents
func _init(session: Session = null, resource = "", id_name = "", parameters = {}):
	_session = session
	_resource = resource
	_id_name = id_name
	_parameters = parameters


## `get` of other languages, a name that Object has taken. JSON comes as a value, everything else as bytes.
func read(id: String):
	return await _ask("GET", {_id_name: id})


## Replaces it. etag: "" in any case, that of the document which was read, or null: only when there is none yet.
## It has changed since: ok is false, and status is 412.
func put(id: String, value, etag = ""):
	var headers = {"Content-Type": "application/json"}
	if etag == null:
		headers["If-None-Match"] = "*"
	elif etag != "":
		headers["If-Match"] = etag
	return await _ask("PUT", {_id_name: id}, headers, Json.write(value))


## Changes these members of a JSON object and keeps the others; makes it when there is none.
func merge(id: String, members: Dictionary):
	return await _ask("POST", {_id_name: id}, {"Content-Type": "application/json"}, Json.write(members))


func remove(id: String):
	return await _ask("DELETE", {_id_name: id})


## value: ids of all documents, or of those that changed since then (as 2026-01-31T12:00:00Z).
func list(since = ""):
	var answer = await _ask("GET", {} if since == "" else {"since": since})
	if answer.value == null:
		answer.value = []
	return answer


func _ask(method: String, parameters: Dictionary, headers = {}, body = ""):
	if _session == null:
		#3 yield(Engine.get_main_loop(), "idle_frame")  # Godot 3 only: who called it needs something to wait for
		return _answer(true, 404)
	for name in _parameters:
		parameters[name] = _parameters[name]
	var path = _resource + "?" + Uri.query(parameters)
	var response = await _session.ask(method, path, headers, body)
	var status = response.status
	if status == 404 and method == "GET":
		return _answer(true, 404)
	if status < 200 or status >= 300:
		return _answer(false, status, Session.reason(response))
	var answer = _answer(true, status)
	answer.etag = response.headers.get("etag")
	if method == "GET":
		var is_json = response.headers.get("content-type", "").begins_with("application/json")
		answer.value = Json.read(response.body.get_string_from_utf8()) if is_json else response.body
	return answer


func _answer(ok: bool, status: int, message = "") -> Dictionary:
	return {"ok": ok, "status": status, "message": message, "value": null, "etag": null}
