import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { secretSettings } from '../shared/settings/settings.ts'
import { table } from '../shared/settings/table.ts'

const root = resolve(import.meta.dirname, '..')
const chart = join(root, 'ops/helm/games-lrs')
const text = (path: string): string => readFileSync(join(chart, path), 'utf8')
const helpers = text('templates/_helpers.tpl')
const processes = ['core', 'gateway', 'portal', 'player'] as const

test('the chart sets settings that exist, and those with secrets by reference only', () => {
  const named = [...helpers.matchAll(/(?:name: |list ")([A-Z][A-Z0-9_]+)\b/g)].map(([, name]) => name!)
  const made = processes.flatMap((name) => [`${name.toUpperCase()}_HOST`, `${name.toUpperCase()}_METRICS_PORT`])
  const fromKeys = ['signing_key', 'secret_keys', 'service_tokens'].map((key) => `LRS_${key.toUpperCase()}`)
  expect(helpers).toContain('list "signing_key" "secret_keys" "service_tokens"')
  const all = new Set([...named, ...made, ...fromKeys])
  expect(all.size).toBeGreaterThan(30)
  expect([...all].filter((name) => !(name in table))).toEqual([])
  const plain = [...helpers.matchAll(/name: ([A-Z][A-Z0-9_]+), value/g)].map(([, name]) => name!)
  expect(plain.length).toBeGreaterThan(15)
  expect(plain.filter((name) => secretSettings.includes(name))).toEqual([])
})

test('ports, scripts and keys of secrets are those of the code', () => {
  const usual = (name: keyof typeof table) => (table[name] as { usual?: number }).usual
  for (const name of processes) {
    expect(existsSync(join(root, name, 'main.ts'))).toBe(true)
    const port = usual(`${name.toUpperCase()}_PORT` as 'CORE_PORT')
    expect(helpers, name).toContain(name === 'core' ? `{ name: core, port: ${port} }` : `"${name}" ${port}`)
  }
  const script = readFileSync(join(root, 'ops/compose/make-secrets.sh'), 'utf8')
  const kept = new Set([...script.matchAll(/^keep (\w+)/gm)].map(([, name]) => name!))
  for (const name of ['signing_key', 'secret_keys', 'service_tokens', 'storage_key'])
    expect([kept.has(name), helpers.includes(`"${name}"`)], name).toEqual([true, true])
  for (const name of processes.slice(1)) expect(kept, name).toContain(`${name}_token`)
  expect(helpers).toContain('printf "%s_token" .process')
})

test('the schema of values names what values.yaml has, and refuses other names', () => {
  const schema = JSON.parse(text('values.schema.json'))
  const accepts = new Ajv({ strict: false }).compile(schema)
  const names = [...text('values.yaml').matchAll(/^(\w+):/gm)].map(([, name]) => name!)
  expect(names.length).toBeGreaterThan(12)
  expect(Object.keys(schema.properties).filter((name) => name !== 'global')).toEqual(names)
  expect(accepts({ gateway: { replicas: { min: 1, max: 2 } }, tenancy: 'isolated' })).toBe(true)
  for (const wrong of [{ gatway: {} }, { tenancy: 'x' }, { core: { replicas: 0 } }, { urls: { xapi: 'x' } }])
    expect(accepts(wrong), JSON.stringify(wrong)).toBe(false)
})

const hasHelm = spawnSync('helm', ['version']).status === 0
if (!hasHelm) process.stderr.write('helm is not installed: ops/helm is NOT rendered\n')
test.runIf(hasHelm)('helm renders the chart', () => {
  const values =
    'database.cloudnativepg.enabled=true,storage.s3.endpoint=https://s,storage.s3.bucket=b,ingress.enabled=true'
  const more = 'tls.enabled=true,tls.coreSecret=c,metrics.serviceMonitor=true'
  const run = spawnSync('helm', ['template', 'lrs', chart, '--kube-version', '1.32.0', '--set', values, '--set', more])
  expect(run.status, run.stderr.toString()).toBe(0)
})
