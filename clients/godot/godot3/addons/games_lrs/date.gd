# Made from godot4/addons/games_lrs/date.gd by clients/godot/build.ts. Edit that.
extends Reference
# Dates of HTTP.

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


# Of a date such as Sun, 06 Nov 1994 08:49:37 GMT; 0: it is none.
static func seconds(date: String) -> int:
	var words = date.split(" ", false)
	if words.size() != 6 or not words[2] in MONTHS:
		return 0
	var time = words[4].split(":")
	if time.size() != 3:
		return 0
	return OS.get_unix_time_from_datetime(
		{
			"year": int(words[3]),
			"month": MONTHS.find(words[2]) + 1,
			"day": int(words[1]),
			"hour": int(time[0]),
			"minute": int(time[1]),
			"second": int(time[2]),
		}
	)
