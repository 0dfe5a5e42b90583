# Made from godot4/addons/games_lrs/plugin.gd by clients/godot/build.ts. Edit that.
tool
extends EditorPlugin
# Switched on in the project settings, it makes the autoload GamesLrs.


func enable_plugin():
	add_autoload_singleton("GamesLrs", "res://addons/games_lrs/games_lrs.gd")


func disable_plugin():
	remove_autoload_singleton("GamesLrs")
