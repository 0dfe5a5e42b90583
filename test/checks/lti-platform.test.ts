import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { simpleBrowser } from '../support/openid.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import { freePorts } from '../../start/fixtures/launch.ts'
import { addStudio } from '../support/studios.ts'

const python = process.env['PYTHON'] ?? 'python3'

/** Whether this machine has the package; if not, one loud line says what is not run. */
function hasPackage(): boolean {
  try {
    execFileSync(python, ['-c', 'import lti1p3platform'], { stdio: 'ignore' })
    return true
  } catch {
    process.stderr.write(
      '\n!!! NO LTI1P3PLATFORM: the launch from a platform that is not ours is NOT run. ' +
        'It takes: python3 -m pip install lti1p3platform==0.1.8\n\n',
    )
    return false
  }
}

describe.skipIf(!hasPackage())('from a platform that is not ours (lti1p3platform)', () => {
  let system: PortalSystem
  let platform: ChildProcess
  let issuer: string
  let slug: string
  beforeAll(async () => {
    system = await startPortalSystem()
    slug = (await system.publish(await system.studio('Blue Fox'), 'Quiz')).slug
    const school = await addStudio(system, 'Oak School', { kind: 'school' })
    const [port] = await freePorts(1)
    issuer = `http://127.0.0.1:${port}`
    const addresses = { loginUrl: `${issuer}/auth`, tokenUrl: `${issuer}/token`, jwksUrl: `${issuer}/keys` }
    await school.on().lti.addPlatform({
      platform: { name: 'Python', issuer, clientId: 'c1', deployments: ['d1'], ...addresses },
    })
    const { schoolId } = await school.on().lti.listPlatforms({})
    platform = spawn(python, ['test/checks/lti_platform.py'], {
      env: {
        PATH: process.env['PATH'],
        PORT: `${port}`,
        PORTAL: system.url,
        LOGIN: `${system.url}/lti/login/${schoolId}`,
        KEYS: `${system.url}/lti/jwks/${schoolId}`,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    await once(platform.stdout!, 'data')
  })
  afterAll(async () => {
    platform?.stdin!.end()
    await system?.close()
  })

  /** From the platform to the login, back to the platform, and with its message to the launch. */
  async function launch(user: string, message: string) {
    const browser = simpleBrowser(system.url)
    const { text } = await browser.go(`${issuer}/begin?user=${user}&message=${message}`)
    const { launch_url, ...sent } = JSON.parse(text) as Record<string, string>
    const answer = await browser.ask(launch_url!, {
      method: 'POST',
      headers: { origin: issuer },
      body: new URLSearchParams(sent),
    })
    return { browser, status: answer.status, text: await answer.text() }
  }
  const named = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(text)![1]!

  test('a learner plays', async () => {
    const { browser, status, text } = await launch('u1', slug)
    expect([status, text]).toEqual([200, expect.stringContaining('Quiz')])
    const action = /action="(\/lti-play\/[^"]+)"/.exec(text)![1]!
    expect(await (await browser.post(action, { token: named(text, 'token') })).text()).toContain('name="session"')
  })

  test('a teacher picks, and the platform accepts the link', async () => {
    const { browser, text } = await launch('t1', 'pick')
    const link = { token: named(text, 'token'), launch: named(text, 'launch'), game: slug, title: 'Fractions' }
    const page = await (await browser.post('/lti/pick/link', link)).text()
    const JWT = named(page, 'JWT')
    const taken = await fetch(`${issuer}/back`, { method: 'POST', body: new URLSearchParams({ JWT }) })
    expect(await taken.json()).toMatchObject([{ type: 'ltiResourceLink', title: 'Fractions', custom: { game: slug } }])
  })
})
