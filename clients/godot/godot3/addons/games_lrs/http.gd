# Made from godot4/addons/games_lrs/http.gd by clients/godot/build.ts. Edit that.
extends Reference
# One HTTP request. Who made it calls poll() until that is true: once a frame, and in a loop when the game quits.

signal done(response)  # {status, headers with small letters, body}; status 0: there was no answer

const TIMEOUT_MS = 60000

var _in_browser = OS.has_feature("JavaScript")
var _client = HTTPClient.new()
var _method: int
var _path: String
var _headers: PoolStringArray
var _body: PoolByteArray
var _deadline = OS.get_ticks_msec() + TIMEOUT_MS
var _asked = false
var _response
var _received = PoolByteArray()
var _over = false


func _init(method: int, url: String, headers: Dictionary, body: String):
	_method = method
	_body = body.to_utf8()
	for name in headers:
		_headers.append(name + ": " + headers[name])
	var from = url.find("://") + 3
	var slash = url.find("/", from)
	var authority = url.substr(from, slash - from)
	_path = url.substr(slash)
	var colon = authority.rfind(":")
	var port = -1
	if colon > authority.rfind("]"):
		port = int(authority.substr(colon + 1))
		authority = authority.left(colon)
	var secure = url.begins_with("https:")
	var tls = secure
	if _client.connect_to_host(authority.trim_prefix("[").trim_suffix("]"), port, tls) != OK:
		_deadline = 0


# True: it is over, and `done` was told.
func poll() -> bool:
	# a browser goes on between frames, so there one look is enough
	for _i in 1 if _in_browser else 50:
		var before = _client.get_status()
		var got = _step()
		if _over or (_client.get_status() == before and not got):
			break
	return _over


func cancel():
	_end()


# True: bytes came.
func _step() -> bool:
	if OS.get_ticks_msec() > _deadline:
		_end()
		return false
	_client.poll()
	match _client.get_status():
		HTTPClient.STATUS_RESOLVING, HTTPClient.STATUS_CONNECTING, HTTPClient.STATUS_REQUESTING:
			return false
		HTTPClient.STATUS_CONNECTED:
			if not _asked:
				_asked = true
				if _client.request_raw(_method, _path, _headers, _body) != OK:
					_end()
			else:
				_read_head()
				_end(true)
		HTTPClient.STATUS_BODY:
			_read_head()
			var bytes = _client.read_response_body_chunk()
			_received.append_array(bytes)
			# looked at before the next poll: that one may find that the service has closed the connection
			if _client.get_status() != HTTPClient.STATUS_BODY:
				_end(_is_whole())
			return bytes.size() > 0
		_:
			_end(_is_whole())
	return false


func _is_whole() -> bool:
	if _response == null or _client.get_status() != HTTPClient.STATUS_DISCONNECTED:
		return _client.get_status() == HTTPClient.STATUS_CONNECTED
	# the connection ends a body without a stated length; in a browser it may end every body
	var stated = _response.headers.has("content-length") or _response.headers.has("transfer-encoding")
	return _in_browser or not stated


func _read_head():
	if _response != null or _client.get_response_code() == 0:
		return
	var headers = {}
	for line in _client.get_response_headers():
		var colon = line.find(":")
		headers[line.left(colon).to_lower()] = line.substr(colon + 1).strip_edges()
	_response = {"status": _client.get_response_code(), "headers": headers}


func _end(whole = false):
	if _over:
		return
	_over = true
	_client.close()
	var response = _response if whole and _response != null else {"status": 0, "headers": {}}
	response["body"] = _received
	emit_signal("done", response)
