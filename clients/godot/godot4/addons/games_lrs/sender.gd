extends RefCounted
# Sends what waits, in order, one request at a time. What cannot be sent now is tried again, later and later.

signal sent(count)
signal refused(status, message, statement)  # statement: null when nothing can be sent any more
signal idle

const Date = preload("date.gd")
const Json = preload("json.gd")
const Queue = preload("queue.gd")
const Session = preload("session.gd")

# what the service takes in one request
const BATCH_COUNT = 250
const BATCH_BYTES = 2 * 1024 * 1024
const LONGEST_WAIT_MS = 60000
const LONGEST_ASKED_MS = 600000
# statuses that say that a statement is wrong: not valid, in conflict, too large
const OF_STATEMENTS = [400, 409, 413]
const NEVER = 1 << 62

var busy = false
var stopped = false

var _session: Session
var _queue: Queue
var _flush_after: int
var _flush_at: int
var _due = NEVER
var _failures = 0
var _not_before = 0  # what the service asked for
var _suspects = 0  # the number of first ones that were refused together


func _init(session: Session, queue: Queue, flush_after: int, flush_at: int):
	_session = session
	_queue = queue
	_flush_after = flush_after
	_flush_at = flush_at
	if queue.size() > 0:
		_due = 0  # at once: what an earlier process left


func tick():
	if not busy and Time.get_ticks_msec() >= _due:
		flush()


# A statement was added.
func added():
	var now = Time.get_ticks_msec()
	if _failures == 0 and _queue.size() >= _flush_at:
		_due = now
	elif _due == NEVER:
		_due = now + _flush_after


# The statements that wait are not to be sent.
func clear():
	_queue.clear()
	_suspects = 0


# At once, unless the service asked for a pause. `idle` follows.
func flush():
	_due = NEVER
	if busy:
		return
	busy = true
	while not stopped and _queue.size() > 0 and Time.get_ticks_msec() >= _not_before:
		var batch = _queue.first(_count(), BATCH_BYTES)
		var body = Json.list(batch.texts)
		var headers = {"Content-Type": "application/json"}
		var response = await _session.ask("POST", "statements", headers, body)
		if not _judge(response, batch):
			break
	if not stopped and _queue.size() > 0 and _due == NEVER:
		_due = int(max(Time.get_ticks_msec() + _flush_after, _not_before))
	busy = false
	idle.emit()


# Of statements that were refused together half is sent, until the bad one is alone.
func _count() -> int:
	return BATCH_COUNT if _suspects == 0 else int(max(1, _suspects / 2))


# A network that asks for a sign-in first answers 200, too, with a page.
static func _has_ids(response: Dictionary) -> bool:
	return Json.read(response.body.get_string_from_utf8()) is Array


# False: not now.
func _judge(response: Dictionary, batch: Dictionary) -> bool:
	var count = batch.texts.size()
	var status = response.status
	if status >= 200 and status < 300 and _has_ids(response):
		_failures = 0
		_suspects = int(max(0, _suspects - count))
		_queue.remove(batch.last)
		sent.emit(count)
	elif status < 400 or status >= 500 or status == 429:
		_later(response)
		return false
	elif not status in OF_STATEMENTS:
		# the credential has ended, or this is no record store: the statements stay for the next session
		stopped = true
		refused.emit(status, Session.reason(response), null)
	else:
		var faults = {0: Session.reason(response)} if count == 1 else _faults(response, count)
		# the service does not name the bad ones: the next request has half of the batch
		_suspects = count if faults.is_empty() else 0
		_queue.drop(faults)
		for index in faults:
			refused.emit(status, faults[index], Json.read(batch.texts[index]))
	return true


# Why statements of a batch were refused, by their index; a service may name none.
static func _faults(response: Dictionary, count: int) -> Dictionary:
	var faults = {}
	var told = Json.read(response.body.get_string_from_utf8())
	var list = told.get("faults") if told is Dictionary else null
	for fault in list if list is Array else []:
		var index = fault.get("index") if fault is Dictionary else null
		# all numbers of JSON are floats in Godot
		if typeof(index) == TYPE_FLOAT and index == floor(index) and index >= 0 and index < count:
			faults[int(index)] = str(fault.get("message", ""))
	return faults


func _later(response: Dictionary):
	var now = Time.get_ticks_msec()
	var wait = min(LONGEST_WAIT_MS, 1000 * pow(2, min(_failures, 6))) * randf_range(0.5, 1)
	_failures += 1
	_not_before = now + _asked_wait(response.headers)
	_due = int(max(now + int(wait), _not_before))


# Milliseconds; Retry-After has seconds or a date.
static func _asked_wait(headers: Dictionary) -> int:
	var given = headers.get("retry-after", "")
	if given.is_valid_int():
		return int(clamp(int(given) * 1000, 0, LONGEST_ASKED_MS))
	var then = Date.seconds(given)
	if then == 0:
		return 0
	# the clock of the service, if it tells it: that of the player may be wrong
	var now = Date.seconds(headers.get("date", ""))
	if now == 0:
		now = int(Time.get_unix_time_from_system() * 1000) / 1000
	return int(clamp((then - now) * 1000, 0, LONGEST_ASKED_MS))
