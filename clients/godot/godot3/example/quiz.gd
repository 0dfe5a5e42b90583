# Made from godot4/example/quiz.gd by clients/godot/build.ts. Edit that.
extends VBoxContainer
# Three questions about knots. It reports when it was launched, and plays all the same when it was not.

const QUESTIONS = [
	["Which knot holds a ring?", "Bowline", "Reef knot", "Figure eight"],
	["Which knot joins two ropes?", "Sheet bend", "Clove hitch", "Bowline"],
	["Which knot keeps a rope from slipping through?", "Figure eight", "Sheet bend", "Reef knot"],
]

var _at = 0
var _right = 0
var _sent = 0


func _ready():
	randomize()
	GamesLrs.connect("opened", self, "_opened")
	GamesLrs.connect("sent", self, "_arrived")
	GamesLrs.connect("error", self, "_refused")
	GamesLrs.open()
	GamesLrs.initialized({"id": "quiz", "name": "Knots", "type": "level"})
	_ask()


func _ask():
	$Question.text = QUESTIONS[_at][0]
	var answers = QUESTIONS[_at].duplicate()
	answers.pop_front()
	answers.shuffle()
	for answer in answers:
		var button = Button.new()
		button.text = answer
		button.connect("pressed", self, "_answer", [answer])
		$Answers.add_child(button)


func _answer(answer: String):
	for button in $Answers.get_children():
		button.queue_free()
	var is_right = answer == QUESTIONS[_at][1]
	_right += int(is_right)
	var question = {"id": "question/%d" % (_at + 1), "name": QUESTIONS[_at][0], "type": "question"}
	GamesLrs.selected(question, {"response": answer, "success": is_right})
	_at += 1
	if _at < QUESTIONS.size():
		GamesLrs.progressed("quiz", float(_at) / QUESTIONS.size())
		_ask()
	else:
		_finish()


func _finish():
	$Question.text = "%d of %d" % [_right, QUESTIONS.size()]
	var score = float(_right) / QUESTIONS.size()
	GamesLrs.completed("quiz", {"score": score, "success": _right == QUESTIONS.size(), "progress": 1})
	_save_best(score)


# The best result of this player so far.
func _save_best(score: float):
	var best = yield(GamesLrs.state().read("best"), "completed")
	if best.ok and (best.value == null or best.value.score < score):
		yield(GamesLrs.state().put("best", {"score": score}, best.etag), "completed")


func _opened(launched: bool):
	$Reported.text = "" if launched else "Not launched: nothing is reported."


func _arrived(count: int):
	_sent += count
	$Reported.text = "%d statements have arrived." % _sent


func _refused(status: int, message: String, _statement):
	$Reported.text = "%d %s" % [status, message]
