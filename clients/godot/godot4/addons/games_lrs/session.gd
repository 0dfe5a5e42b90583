extends RefCounted
# Asks the service, as the launch allows.

const Browser = preload("browser.gd")
const Date = preload("date.gd")
const Http = preload("http.gd")
const Json = preload("json.gd")
const Launch = preload("launch.gd")

const METHODS = {
	"GET": HTTPClient.METHOD_GET,
	"PUT": HTTPClient.METHOD_PUT,
	"POST": HTTPClient.METHOD_POST,
	"DELETE": HTTPClient.METHOD_DELETE,
}

# A clock of this machine that is this wrong is told, in seconds.
const TOLERATED = 60

var launch: Dictionary
var clock_offset = 0  # seconds by which the clock of this machine is behind that of the service
var _found: bool
var _running = []


# found: the launch was not given by the game, so it can be looked for again
func _init(a_launch: Dictionary, found: bool):
	launch = a_launch
	_found = found


# Goes on with everything that is under way.
func poll():
	for one in _running.duplicate():
		if one.poll():
			_running.erase(one)


# Callers that wait for an answer get none.
func stop():
	for one in _running.duplicate():
		one.cancel()
	_running.clear()


func headers() -> Dictionary:
	return {"Authorization": launch.auth, "X-Experience-API-Version": "1.0.3"}


# The response; after a 401 once more, if there is a new credential.
func ask(method: String, path: String, more_headers = {}, body = ""):
	var auth = launch.auth
	var http = _request(method, path, more_headers, body)
	var response = await http.done
	if response.status == 401:
		var renewed = await _renew(auth)
		if renewed:
			http = _request(method, path, more_headers, body)
			response = await http.done
	_compare(response.headers.get("date", ""))
	return response


func _compare(date: String):
	var there = Date.seconds(date)
	var offset = there - int(Time.get_unix_time_from_system() * 1000) / 1000
	if there != 0:
		clock_offset = offset if abs(offset) > TOLERATED else 0


# The reason in an answer that refuses.
static func reason(response: Dictionary) -> String:
	if response.status == 0:
		return "The service cannot be reached."
	var told = Json.read(response.body.get_string_from_utf8())
	if told is Dictionary:
		return str(told.get("message", told.get("error", "")))
	return "HTTP " + str(response.status)


func _request(method: String, path: String, more_headers: Dictionary, body: String) -> Http:
	var all = headers()
	for name in more_headers:
		all[name] = more_headers[name]
	var http = Http.new(METHODS[method], launch.endpoint + path, all, body)
	_running.append(http)
	return http


# True: there is another credential than this one, for the same learner in the same game.
func _renew(auth: String):
	if launch.auth != auth:
		return true
	if not _found:
		return false
	var next
	if Browser.is_here():
		var browser = Browser.new(true)
		_running.append(browser)
		var given = await browser.done
		next = Launch.of(given)
	else:
		next = Launch.find_again()
	if next == null or next.auth == auth:
		return false
	for name in ["endpoint", "actor", "activity_id"]:
		if Json.write(next[name]) != Json.write(launch[name]):
			return false
	launch = next
	return true
