import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { coreMeters } from '../core/process/metrics/meters.ts'
import { gatewayMeters } from '../gateway/meters.ts'
import { webMeters } from '../shared/metrics/web-meters.ts'
import { v8Flags } from '../start/v8-flags.ts'

const root = resolve(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Names in source, which is where gauges have theirs, beside those of counters. */
function namesOfCode(): Set<string> {
  const quoted = globSync('{core,core/process/metrics,gateway,shared/metrics}/*.ts', { cwd: root }).flatMap(
    (file) => read(file).match(/'lrs_\w+'/g) ?? [],
  )
  const registries = [coreMeters(), gatewayMeters(), webMeters('portal'), webMeters('player')]
  const counted = registries.flatMap(({ registry }) => registry.getMetricsAsArray().map(({ name }) => name))
  return new Set([...quoted.map((name) => name.slice(1, -1)), ...counted])
}

test.each(['ops/prometheus/alerts.yml', 'ops/grafana/games-lrs.json'])(
  '%s asks only for metrics that there are',
  (file) => {
    const asked = new Set(read(file).match(/\blrs_\w+/g))
    expect(asked.size).toBeGreaterThan(5)
    const known = namesOfCode()
    for (const name of asked) expect(known, name).toContain(name.replace(/_(bucket|sum|count)$/, ''))
  },
)

test('the dashboard is JSON that Grafana takes: every panel has an expression and a place of its own', () => {
  const { panels } = JSON.parse(read('ops/grafana/games-lrs.json')) as {
    panels: { id: number; type: string; targets?: { expr: string }[] }[]
  }
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  for (const { type, targets } of panels)
    if (type !== 'row') for (const { expr } of targets!) expect(expr).toMatch(/lrs_|process_|nodejs_/)
})

const hasPromtool = spawnSync('promtool', ['--version']).status === 0
if (!hasPromtool)
  process.stderr.write(
    'promtool is not installed: the alert rules are NOT checked by it (Debian: apt-get install prometheus)\n',
  )
test.runIf(hasPromtool)('promtool takes the alert rules and the configuration', () => {
  const { status, stdout, stderr } = spawnSync(
    'promtool',
    ['check', 'config', join(root, 'ops/prometheus/prometheus.yml')],
    { encoding: 'utf8' },
  )
  expect(status, stdout + stderr).toBe(0)
})

test('the systemd units, the image and npm run give V8 the flags that it has in every process of ours', () => {
  for (const unit of globSync('ops/systemd/*.service', { cwd: root }))
    expect(read(unit), unit).toContain(`bin/node ${v8Flags.join(' ')} `)
  for (const name of ['core', 'gateway', 'portal', 'player'])
    expect(read('package.json')).toContain(`exec node ${v8Flags.join(' ')} start/bootstrap.mjs ${name}/main.ts`)
  expect(read('ops/Dockerfile')).toContain(`ENTRYPOINT ${JSON.stringify(['node', ...v8Flags]).replaceAll(',', ', ')}`)
})

test('in the image core is not reachable unless the operator sets CORE_HOST', () => {
  expect(read('ops/Dockerfile')).not.toMatch(/CORE_HOST=|^EXPOSE/m)
})

test('the systemd units start what there is, with settings that there are', () => {
  const settings = new Set(
    read('docs/settings.md')
      .match(/`[A-Z0-9_]+`/g)!
      .map((name) => name.slice(1, -1)),
  )
  for (const unit of globSync('ops/systemd/*.service', { cwd: root })) {
    const text = read(unit)
    const script = /^ExecStart=\/opt\/games-lrs\/node_modules\/\.bin\/node (?:--\S+ )*(\S+)$/m.exec(text)?.[1]
    expect(existsSync(join(root, script!)), unit).toBe(true)
    for (const [, name] of text.matchAll(/^Environment=(\w+)=/gm)) expect(settings, unit).toContain(name)
  }
  for (const [, name] of read('ops/systemd/games-lrs.env.example').matchAll(/^#?([A-Z]\w+)=/gm))
    expect(settings).toContain(name)
})

test.each(['docs/security.md', 'docs/operating.md'])('%s points at what there is', (file) => {
  const paths = [...read(file).matchAll(/`([\w.-]+\/[\w./-]+|\.oxlintrc\.json)`/g)]
    .map(([, path]) => path!)
    .filter((path) => /^(\.oxlintrc|(admin|core|docs|gateway|ops|player|portal|proto|start|storage|test)\/)/.test(path))
  expect(paths.length).toBeGreaterThan(2)
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
})
