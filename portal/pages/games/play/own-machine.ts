import type { Launch } from '../../../../gen/lrs/v1/launches_pb.js'
import {
  contextOf,
  environmentOf,
  launchQuery,
  powerShellLines,
  shellLines,
} from '../../../../shared/launch-context.ts'
import { html, type Html } from '../../../web/html.ts'
import type { Visit } from '../../../web/visit.ts'
import { codeBlock } from '../../../web/code-block.ts'

/** How a game on the developer's own machine gets the launch context of a session. */
export function ownMachine({ at }: Visit, launch: Launch, slug: string, launchFile: string): Html {
  const context = contextOf(at.xapi, launch)
  const variables = environmentOf(context)
  return html`<div class="card own-machine"><h2>Give your game the launch context</h2>
      <p>Start the game on your own machine in one of these ways. What it sends appears here. The context holds a token:
      keep it secret until the session ends.</p>
      <h3>A file</h3>
      <p>For Godot and Unity, save it in the folder of the project; for another program, beside the program. For Node,
      set <code>XAPI_LAUNCH_FILE</code> to its path.</p>
      <p><a class="button" href="${launchFile}" download="launch.json">Download launch.json</a></p>
      <h3>The address of a page</h3>
      <p>Append this to the address of your development server, such as <code>http://localhost:5173/</code>.</p>
      ${codeBlock('launch-query', 'query', `?${launchQuery(context)}`)}
      <h3>Environment variables</h3>
      <details><summary>Linux and macOS</summary>${codeBlock('launch-shell', 'shell lines', shellLines(variables))}</details>
      <details><summary>Windows PowerShell</summary>${codeBlock('launch-powershell', 'PowerShell lines', powerShellLines(variables))}</details>
      <h3>The command line</h3>
      <p>It opens a session of its own and renews it, starts your game with environment variables, and shows each call
      in the terminal. <a href="/docs/first-statement#with-the-command-line">For each engine</a>. It needs a <a
      href="/account/tokens">personal token</a> with the scopes read and sandbox.</p>
      ${codeBlock('launch-command', 'command', `games-lrs sandbox ${slug} -- <command that starts your game>`)}</div>`
}
