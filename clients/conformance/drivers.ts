import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

/** How a client is started in its runtime. */
export interface Runtime {
  readonly command: string
  readonly args: readonly string[]
}

export interface ClientUnderTest {
  readonly name: string
  /** Programs that have to be installed; none: the packages of npm suffice. */
  readonly needs: readonly string[]
  /** `npm test` runs two of its tests. Without this it runs more of a client that needs nothing, and nothing of others. */
  readonly smoke?: boolean
  /** Its language has exceptions, which a handler of the game may throw. */
  readonly throws?: boolean
  /** It runs in a page: `connect` can take away what a browser lacks. */
  readonly inPage?: boolean
  /** Made once, before it is started. @param folder for what is made */
  prepare?(folder: string): void
  /** @param folder what `prepare` made */
  start(folder: string): Runtime
}

const clients = resolve(import.meta.dirname, '..')

/** The driver's project with the add-on for this version of Godot. */
const godot = (version: 3 | 4, program: string, ...args: readonly string[]): ClientUnderTest => ({
  name: `Godot ${version}`,
  needs: [program],
  prepare(folder) {
    cpSync(join(clients, `godot/conformance/godot${version}`), folder, { recursive: true })
    cpSync(join(clients, `godot/godot${version}/addons`), join(folder, 'addons'), { recursive: true })
  },
  start: (folder) => ({ command: program, args: [...args, '--path', folder] }),
})

/** With the oldest C# of Unity versions in use: `sources` are patterns below clients/unity. */
function compile(target: string, sources: readonly string[], ...parameters: readonly string[]): void {
  const files = sources.flatMap((pattern) => globSync(`unity/${pattern}`, { cwd: clients }))
  const options = ['-langversion:7.2', '-warnaserror', '-r:System.Net.Http.dll', `-out:${target}`, ...parameters]
  execFileSync('mcs', [...options, ...files], { cwd: clients, stdio: ['ignore', 'ignore', 'inherit'] })
}
const unity = ['{Runtime,Samples~,Tests}/**/*.cs', 'conformance~/UnityStandIns.cs']

/** @param command opens the address that is added to it; `{folder}` is where the browser keeps what pages store */
const inBrowser = (name: string, needs: readonly string[], ...command: readonly string[]): ClientUnderTest => ({
  name: `JavaScript in ${name}`,
  needs,
  inPage: true,
  throws: true,
  start: () => ({ command: process.execPath, args: [join(clients, 'javascript/conformance/driver.ts'), ...command] }),
})
/** The browser that comes with WebKitGTK; distributions keep it away from PATH. */
const miniBrowser = globSync('/usr/{lib,lib/*,libexec}/webkit2gtk-4.*/MiniBrowser')[0] ?? 'MiniBrowser'

export const clientsUnderTest: readonly ClientUnderTest[] = [
  inBrowser('Chromium', []),
  {
    name: 'Python',
    needs: ['python3'],
    smoke: true,
    throws: true,
    start: () => ({ command: 'python3', args: [join(clients, 'python/conformance/driver.py')] }),
  },
  inBrowser('Firefox', ['firefox'], 'firefox', '--headless', '--no-remote', '--profile', '{folder}'),
  inBrowser('WebKitGTK', ['xvfb-run', miniBrowser], 'xvfb-run', '-a', miniBrowser),
  godot(3, 'godot3-server'),
  godot(4, 'godot4', '--headless'),
  {
    name: 'C# without an engine',
    needs: ['mcs', 'mono'],
    throws: true,
    prepare: (folder) =>
      compile(join(folder, 'plain.exe'), ['Runtime/Core/*.cs', 'DotNet~/*.cs', 'conformance~/{Driver,PlainEngine}.cs']),
    start: (folder) => ({ command: 'mono', args: [join(folder, 'plain.exe')] }),
  },
  {
    name: 'C# for Unity, on stand-ins',
    needs: ['mcs', 'mono'],
    throws: true,
    prepare(folder) {
      compile(join(folder, 'unity.exe'), [...unity, 'conformance~/{Driver,StandInEngine}.cs'])
      // what is compiled for pages only
      compile(join(folder, 'page.dll'), unity, '-target:library', '-define:UNITY_WEBGL')
    },
    start: (folder) => ({ command: 'mono', args: [join(folder, 'unity.exe')] }),
  },
]

/** Programs that this machine does not have. */
export const missing = ({ needs }: ClientUnderTest): string[] =>
  needs.filter(
    (program) => !process.env['PATH']!.split(delimiter).some((folder) => existsSync(resolve(folder, program))),
  )
