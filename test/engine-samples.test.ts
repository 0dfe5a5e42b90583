import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { gameSamples } from '../portal/pages/games/code/engine-code.ts'

// The samples for engines outside of the web, without changes, with the clients of this repository, in their runtimes.
// Those for the web: test/browser/engine-samples.test.ts.

const root = resolve(import.meta.dirname, '..')
const activity = 'https://lrs.example/games/5c4e0b7a'
const samples = gameSamples(activity)
const codeOf = (name: string): string => samples.find((sample) => sample.name === name)!.code

/** Whether these programs and folders are there; a missing one gets a loud line. */
function canRun(engine: string, programs: readonly string[], client: string): boolean {
  const missing = programs.filter((program) => {
    try {
      execFileSync('which', [program], { stdio: 'ignore' })
      return false
    } catch {
      return true
    }
  })
  if (!existsSync(join(root, client))) missing.push(client)
  if (missing.length > 0)
    process.stderr.write(`\n!!! NO ${missing.join(', ')}: the sample for ${engine} is NOT run.\n\n`)
  return missing.length === 0
}

interface Statement {
  readonly verb: { readonly id: string }
  readonly object: { readonly id: string }
  readonly result?: object
  readonly context?: object
}

/** A store that takes everything, with what a game is launched with. */
async function store() {
  const statements: Statement[] = []
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray()).toString()
    const sent = [JSON.parse(body)].flat() as (Statement & { id: string })[]
    statements.push(...sent)
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(sent.map(({ id }) => id)))
  }
  const server = createServer((request, response) => void take(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const env = {
    ...process.env,
    XAPI_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}/xapi/`,
    XAPI_AUTH: 'Bearer a.b.c',
    XAPI_ACTOR: JSON.stringify({ account: { homePage: 'https://lrs.example', name: 'ada' } }),
    XAPI_REGISTRATION: '0b0a7f52-1b8e-4a51-9c5d-111111111111',
    XAPI_ACTIVITY_ID: activity,
  }
  return { statements, env }
}

const reported = [
  { verb: { id: 'http://adlnet.gov/expapi/verbs/initialized' }, object: { id: activity } },
  {
    verb: { id: 'http://adlnet.gov/expapi/verbs/completed' },
    object: { id: `${activity}/level-1` },
    result: { completion: true, score: { scaled: 0.8 } },
    context: { registration: '0b0a7f52-1b8e-4a51-9c5d-111111111111' },
  },
]

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'lrs-engine-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return folder
}

const run = promisify(execFile)

test('every sample names the game and its first level, and has no secret', () => {
  expect(samples.map(({ name }) => name)).toEqual([
    'JavaScript',
    'fetch, without our client',
    'Phaser',
    'PixiJS',
    'three.js',
    'Godot 4',
    'Godot 3',
    'Python',
    'Unity',
  ])
  for (const { name, code } of samples) {
    expect([name, code.includes(`is ${activity}\n`)]).toEqual([name, true])
    expect([name, code.includes(`${activity}/level-1\n`)]).toEqual([name, true])
    expect([name, /secret|Basic|password/i.test(code)]).toEqual([name, false])
  }
})

const addOn = 'clients/godot/godot3/addons'
test.skipIf(!canRun('Godot 3', ['godot3-server'], addOn))('the sample for Godot 3 reports', async () => {
  const folder = folderWith({
    'project.godot': `config_version=4
[application]
run/main_scene="res://main.tscn"
[autoload]
GamesLrs="*res://addons/games_lrs/games_lrs.gd"
`,
    'sample.gd': codeOf('Godot 3'),
    'main.gd': `extends "res://sample.gd"
var arrived = 0
func _process(_delta):
	set_process(false)
	GamesLrs.connect("sent", self, "_sent")
	level_won()
	GamesLrs.flush()
func _sent(count):
	arrived += count
	if arrived == 2:
		get_tree().quit()
`,
    'main.tscn': `[gd_scene load_steps=2 format=2]
[ext_resource path="res://main.gd" type="Script" id=1]
[node name="Main" type="Node"]
script = ExtResource( 1 )
`,
  })
  cpSync(join(root, addOn), join(folder, 'addons'), { recursive: true })
  const { statements, env } = await store()
  const queue = join(folder, 'queue')
  await run('godot3-server', ['--path', folder], { env: { ...env, GAMES_LRS_QUEUE: queue }, timeout: 60_000 })
  expect(statements).toMatchObject(reported)
})

test('the sample for Godot 4 is that for Godot 3', () => {
  expect(codeOf('Godot 4')).toBe(codeOf('Godot 3'))
})

const python = 'clients/python'
test.skipIf(!canRun('Python', ['python3'], python))('the sample for Python reports', async () => {
  const folder = folderWith({ 'game.py': `${codeOf('Python')}\n\nlevel_won()\n` })
  const { statements, env } = await store()
  const paths = { PYTHONPATH: join(root, python), GAMES_LRS_QUEUE: join(folder, 'queue') }
  await run('python3', ['game.py'], { cwd: folder, env: { ...env, ...paths }, timeout: 60_000 })
  expect(statements).toMatchObject(reported)
})

const core = 'clients/unity/Runtime/Core'
test.skipIf(!canRun('Unity', ['mcs', 'mono'], core))('the sample for Unity compiles and reports', async () => {
  const folder = folderWith({
    'Sample.cs': codeOf('Unity'),
    // what Unity and the package's layer for Unity would be
    'Main.cs': `using System;
using System.Collections.Generic;
using System.Net;
using System.Reflection;
using System.Text;
namespace UnityEngine { public class MonoBehaviour {} }
class Http : GamesLrs.IHttp
{
    public void Send(GamesLrs.HttpRequest request, Action<GamesLrs.HttpResponse> done)
    {
        using (var web = new WebClient())
        {
            foreach (var header in request.Headers) web.Headers[header.Key] = header.Value;
            var ids = Encoding.UTF8.GetString(web.UploadData(request.Url, request.Method, request.Body));
            done(new GamesLrs.HttpResponse { Status = 200, Text = ids });
        }
    }
}
class Program
{
    static void Main()
    {
        GamesLrs.Platform.Fill = options => options.Http = new Http();
        const BindingFlags own = BindingFlags.NonPublic | BindingFlags.Instance;
        var reporting = new Reporting();
        typeof(Reporting).GetMethod("Start", own).Invoke(reporting, null);
        reporting.LevelWon();
        var lrs = (GamesLrs.Client)typeof(Reporting).GetField("lrs", own).GetValue(reporting);
        for (var second = 0; lrs.Pending() > 0 && second < 60; second++) lrs.Tick(second);
    }
}
`,
  })
  const sources = globSync('**/*.cs', { cwd: join(root, core) }).map((file) => join(root, core, file))
  await run('mcs', ['-langversion:7.2', '-out:sample.exe', 'Sample.cs', 'Main.cs', ...sources], { cwd: folder })
  const { statements, env } = await store()
  await run('mono', ['sample.exe'], { cwd: folder, env, timeout: 60_000 })
  expect(statements).toMatchObject(reported)
})
