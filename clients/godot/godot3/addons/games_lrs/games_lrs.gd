# Made from godot4/addons/games_lrs/games_lrs.gd by clients/godot/build.ts. Edit that.
extends Node
# Reports what players do. As the autoload GamesLrs:
#
#   func _ready():
#       GamesLrs.open()
#       GamesLrs.initialized()
#
#   func level_won():
#       GamesLrs.completed("level/1", {"score": 0.8})

signal opened(launched)  # the launch was looked for; in a browser this can take half a second
signal sent(count)  # the number of statements that have arrived
signal paused(is_paused)  # in a browser: a teacher pauses the lesson, or lets it go on
signal error(status, message, statement)  # what the service refused for good; statement: null if it is the credential

const Browser = preload("browser.gd")
const Documents = preload("documents.gd")
const Json = preload("json.gd")
const Launch = preload("launch.gd")
const Mistakes = preload("mistakes.gd")
const Queue = preload("queue.gd")
const Sender = preload("sender.gd")
const Session = preload("session.gd")
const Statement = preload("statement.gd")

# How this add-on names itself in statements.
const CLIENT = "games-lrs.gd 0.3.0"
# Extensions of a context that clients add.
const EXTENSIONS = "urn:games-lrs:"
const FOLDER = "user://games_lrs"
const QUIT_MS = 3000
# what a browser sends of a page that goes away
const LAST_COUNT = 20
const LAST_BYTES = 60 * 1024

# False: there is no launch context. Then every call does nothing, and the game plays on.
var launched = false

var _options = {}
var _consent = true
var _full = false
var _told = []  # mistakes
var _look: Browser  # while a browser looks for the launch
var _early = []  # statements of that time
var _session: Session
var _queue: Queue
var _sender: Sender
var _last = ""
var _paused = false


func _ready():
	pause_mode = Node.PAUSE_MODE_PROCESS
	randomize()


# Finds the launch and sends what an earlier session left. Options, all optional: launch, consent (true),
# flush_after (5000 ms), flush_at (20 statements), folder (of the queue), version (of the game; else that of the
# project), engine, debug (in debug builds): whether `error` also tells mistakes in statements, with status 0.
func open(options = {}) -> bool:
	# a scene that is loaded again
	if launched and not _sender.stopped and options.hash() == _options.hash():
		return true
	close()
	_options = options
	_consent = options.get("consent", true)
	var given = Launch.of(options.get("launch"))
	if given == null and Browser.is_here():
		_look = Browser.new(false)
		_look.connect("done", self, "_found")
		_process(0)
	else:
		_begin(given if given != null else Launch.find())
	return launched


# The verbs. activity: nothing is the game itself; else an IRI, an id below the game's IRI such as "level/1", or
# {id, name, type}. result: {score, success, completion, progress, duration, response, extensions}, or a number: the
# progress with `progressed`, else the score. They return the statement's id, "" when nothing was queued.
func initialized(activity = null, result = null) -> String:
	return send(Statement.of("initialized", activity, result))


func progressed(activity = null, result = null) -> String:
	return send(Statement.of("progressed", activity, result))


func completed(activity = null, result = null) -> String:
	return send(Statement.of("completed", activity, result))


func passed(activity = null, result = null) -> String:
	return send(Statement.of("passed", activity, result))


func failed(activity = null, result = null) -> String:
	return send(Statement.of("failed", activity, result))


func scored(activity = null, result = null) -> String:
	return send(Statement.of("scored", activity, result))


func terminated(activity = null, result = null) -> String:
	return send(Statement.of("terminated", activity, result))


func answered(activity = null, result = null) -> String:
	return send(Statement.of("answered", activity, result))


func interacted(activity = null, result = null) -> String:
	return send(Statement.of("interacted", activity, result))


func accessed(activity = null, result = null) -> String:
	return send(Statement.of("accessed", activity, result))


func skipped(activity = null, result = null) -> String:
	return send(Statement.of("skipped", activity, result))


func selected(activity = null, result = null) -> String:
	return send(Statement.of("selected", activity, result))


func unlocked(activity = null, result = null) -> String:
	return send(Statement.of("unlocked", activity, result))


func used(activity = null, result = null) -> String:
	return send(Statement.of("used", activity, result))


func pressed(activity = null, result = null) -> String:
	return send(Statement.of("pressed", activity, result))


func released(activity = null, result = null) -> String:
	return send(Statement.of("released", activity, result))


# Queues any statement. Id, timestamp, actor and registration are filled in where they are missing.
func send(statement: Dictionary) -> String:
	if _options.get("debug", OS.is_debug_build()):
		_check(statement)
	if not _consent or _is_full():
		return ""
	var dated = Statement.dated(statement)
	if _look != null:
		_early.append(dated)
	elif launched:
		_queue.add(Statement.complete(dated, _session.launch, _about()))
		_sender.added()
	else:
		return ""
	return dated.id


# Sends what waits now: yield(GamesLrs.flush(), "completed") returns when it was sent, or tried.
func flush():
	if launched:
		_sender.flush()
		if _sender.busy:
			yield(_sender, "idle")
			return
	yield(get_tree(), "idle_frame")  # Godot 3 only: who called it needs something to wait for


# How many statements wait on this machine.
func pending() -> int:
	return _queue.size() if launched else _early.size()


# false: what waits is dropped, and nothing is queued until true. Documents still work.
func set_consent(granted: bool):
	_consent = granted
	if not granted:
		_early.clear()
		if launched:
			_sender.clear()


# State of the learner in this game, or in one activity of it.
func state(activity = null) -> Documents:
	return _documents("activities/state", "stateId", activity, true)


# Shared by all learners of an activity.
func activity_profile(activity = null) -> Documents:
	return _documents("activities/profile", "profileId", activity, false)


# Of the learner, across games.
func agent_profile() -> Documents:
	if not launched:
		return Documents.new()
	return Documents.new(_session, "agents/profile", "profileId", {"agent": Statement.agent(_session.launch)})


# Sends what waits, for three seconds at most, and stops. What is left waits for the next start. So does the end of the
# game.
func close():
	if launched and Browser.is_here():
		_keep_last()
		Browser.leave()
		Browser.keep_last("", {}, "")
	elif launched:
		var end = OS.get_ticks_msec() + QUIT_MS
		_sender.flush()
		while _sender.busy and OS.get_ticks_msec() < end:
			_session.poll()
			OS.delay_msec(1)
	if launched:
		_session.stop()
	launched = false
	_look = null
	_early.clear()


func _found(given):
	_look = null
	_begin(Launch.of(given))
	for statement in _early:
		if launched:
			_queue.add(Statement.complete(statement, _session.launch, _about()))
			_sender.added()
	_early.clear()


func _begin(launch):
	launched = launch != null
	if launched:
		_session = Session.new(launch, not _options.has("launch"))
		_queue = Queue.new(_folder(), launch.endpoint + " " + Statement.agent(launch))
		_sender = Sender.new(_session, _queue, _options.get("flush_after", 5000), _options.get("flush_at", 20))
		_sender.connect("sent", self, "_on_sent")
		_sender.connect("refused", self, "_on_refused")
		if not _consent:
			_sender.clear()  # what an earlier session left
	emit_signal("opened", launched)


# Each mistake once.
func _check(statement: Dictionary):
	for mistake in Mistakes.new(statement).found:
		if not mistake in _told:
			_told.append(mistake)
			_on_refused(0, mistake, statement)


# What statements tell of the game and the machine.
func _about() -> Dictionary:
	var engine = _options.get("engine", "Godot " + Engine.get_version_info()["string"])
	var about = {"extensions": {EXTENSIONS + "client": CLIENT, EXTENSIONS + "engine": engine}}
	if _session.clock_offset != 0:
		about["extensions"][EXTENSIONS + "clock-offset"] = _session.clock_offset
	var setting = "application/config/version"
	var of_project = ProjectSettings.get_setting(setting) if ProjectSettings.has_setting(setting) else ""
	var version = str(_options.get("version", of_project))
	if version != "":
		about["revision"] = version
	about["platform"] = OS.get_name()
	# en_US, de_DE@euro, or C; the service refuses what is no language tag
	var tag = RegEx.new()
	tag.compile("^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3})\\b)?")
	var language = tag.search(OS.get_locale().replace("_", "-"))
	about["language"] = language.get_string() if language != null else "und"
	return about


# The option, a variable for tests, or the folder of the game.
func _folder() -> String:
	var named = OS.get_environment("GAMES_LRS_QUEUE")
	return _options.get("folder", named if named != "" else FOLDER)


func _process(_delta):
	if Browser.is_here() and Browser.is_paused() != _paused:
		_paused = not _paused
		emit_signal("paused", _paused)
	if _look != null:
		_look.poll()
	elif launched:
		_session.poll()
		_sender.tick()
		if Browser.is_here():
			_keep_last()


func _notification(what):
	if what == MainLoop.NOTIFICATION_WM_FOCUS_OUT or what == MainLoop.NOTIFICATION_APP_PAUSED:
		if launched:
			_sender.flush()


func _exit_tree():
	close()


# What the page itself sends when it goes away: the game does not run on then.
func _keep_last():
	var batch = _queue.first(LAST_COUNT, LAST_BYTES)
	var body = "" if batch.texts.empty() or _sender.stopped else Json.list(batch.texts)
	if body != _last and body.length() <= LAST_BYTES:
		var headers = _session.headers()
		headers["Content-Type"] = "application/json"
		Browser.keep_last(_session.launch.endpoint + "statements", headers, body)
		_last = body


func _is_full() -> bool:
	var before = _full
	_full = pending() >= Queue.LIMIT
	if _full and not before:
		_on_refused(0, "%d statements wait: later ones are lost until some are sent." % Queue.LIMIT, null)
	return _full


func _documents(resource: String, id_name: String, activity, of_learner: bool) -> Documents:
	if not launched:
		return Documents.new()
	var parameters = {"activityId": Statement.iri(activity, _session.launch)}
	if of_learner:
		parameters["agent"] = Statement.agent(_session.launch)
	return Documents.new(_session, resource, id_name, parameters)


func _on_sent(count: int):
	emit_signal("sent", count)


func _on_refused(status: int, message: String, statement):
	if get_signal_connection_list("error").empty():
		push_warning("games-lrs: %d %s" % [status, message])
	emit_signal("error", status, message, statement)
