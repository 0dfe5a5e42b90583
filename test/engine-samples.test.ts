import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { gameSamples } from '../portal/pages/game/engine-code.ts'

// The samples for engines outside of the web, as they stand, in the engine's own language. A stand-in takes the place
// of the client and writes down how it is called; with the clients themselves, `npm run clients` runs them.

const activity = "https://lrs.example/games/5c4e0b7a-'$"
const samples = gameSamples(activity)
const codeOf = (name: string): string => samples.find((sample) => sample.name === name)!.code

function isThere(programs: readonly string[], what: string): boolean {
  const missing = programs.filter((program) => {
    try {
      execFileSync('which', [program], { stdio: 'ignore' })
      return false
    } catch {
      return true
    }
  })
  if (missing.length > 0) process.stderr.write(`\n!!! NO ${missing.join(', ')}: the sample for ${what} is NOT run.\n\n`)
  return missing.length === 0
}

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'lrs-engine-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return folder
}

const called = ['open', 'initialized', 'completed level-1 0.8']

test('every sample names the game and its first level', () => {
  expect(samples.map(({ name }) => name)).toEqual([
    'JavaScript',
    'fetch, without our client',
    'Phaser',
    'PixiJS',
    'three.js',
    'Godot 4',
    'Godot 3',
    'Unity',
  ])
  for (const { name, code } of samples) {
    expect([name, code.includes(`is ${activity}\n`)]).toEqual([name, true])
    expect([name, code.includes(`${activity}/level-1\n`)]).toEqual([name, true])
    // the launch context has them, so that they are in no build
    expect([name, /secret|Basic|password/i.test(code)]).toEqual([name, false])
  }
})

test.skipIf(!isThere(['godot3-server'], 'Godot 3'))('the sample for Godot 3 calls the client as it should', () => {
  const folder = folderWith({
    'project.godot': `config_version=4
[application]
run/main_scene="res://main.tscn"
[autoload]
GamesLrs="*res://games_lrs.gd"
`,
    'games_lrs.gd': `extends Node
func open(options = {}):
	print("called open")
	return true
func initialized(activity = null, result = {}):
	print("called initialized")
func completed(activity = null, result = {}):
	print("called completed ", activity, " ", result["score"])
`,
    'sample.gd': codeOf('Godot 3'),
    'main.gd': `extends "res://sample.gd"
func _process(_delta):
	level_won()
	get_tree().quit()
`,
    'main.tscn': `[gd_scene load_steps=2 format=2]
[ext_resource path="res://main.gd" type="Script" id=1]
[node name="Main" type="Node"]
script = ExtResource( 1 )
`,
  })
  const printed = execFileSync('godot3-server', ['--path', folder], { encoding: 'utf8', timeout: 60_000 })
  expect(Array.from(printed.matchAll(/^called (.*)$/gm), ([, call]) => call)).toEqual(called)
})

test('the sample for Godot 4 has only what both versions have', () => {
  const body = (name: string) => codeOf(name).replace(/^#.*\n/gm, '')
  expect(body('Godot 4')).toBe(body('Godot 3'))
})

test.skipIf(!isThere(['mcs', 'mono'], 'Unity'))(
  'the sample for Unity compiles, and calls the client as it should',
  () => {
    const folder = folderWith({
      'Sample.cs': codeOf('Unity'),
      'Client.cs': `namespace UnityEngine { public class MonoBehaviour {} }
namespace GamesLrs {
  public class Result { public double? Score { get; set; } }
  public class Client {
    public static Client Connect() { System.Console.WriteLine("called open"); return new Client(); }
    public System.Threading.Tasks.Task Initialized() { System.Console.WriteLine("called initialized"); return null; }
    public System.Threading.Tasks.Task Completed(string activity, Result result) {
      System.Console.WriteLine(System.FormattableString.Invariant($"called completed {activity} {result.Score}"));
      return null;
    }
  }
}
class Program {
  static void Main() {
    var reporting = new Reporting();
    typeof(Reporting).GetMethod("Start", System.Reflection.BindingFlags.NonPublic | System.Reflection.BindingFlags.Instance).Invoke(reporting, null);
    reporting.LevelWon();
  }
}
`,
    })
    execFileSync('mcs', ['-langversion:7.2', '-out:sample.exe', 'Sample.cs', 'Client.cs'], { cwd: folder })
    const printed = execFileSync('mono', ['sample.exe'], { cwd: folder, encoding: 'utf8', timeout: 60_000 })
    expect(Array.from(printed.matchAll(/^called (.*)$/gm), ([, call]) => call!.trim())).toEqual(called)
  },
)
