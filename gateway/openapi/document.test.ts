import { expect, test } from 'vitest'
import { reasons } from '../../shared/reasons.ts'
import type { Resource } from '../resource.ts'
import { openApi } from './document.ts'
import { refusalWords } from './operations.ts'
import { pageOf } from './page.ts'

const resource = (path: string, parameters = {}): Resource => ({
  path,
  actions: { GET: { parameters, run: () => ({ status: 200 }) } },
})

test('a route without words stops the document, with the name of what is missing', () => {
  expect(() => openApi([resource('/xapi/new')], '1')).toThrow('does not describe GET /xapi/new')
  expect(() => openApi([resource('/xapi/agents', { colour: {} })], '1')).toThrow('does not describe colour')
})

test('a parameter is required where the route says so', () => {
  const required = (parameters: object) =>
    JSON.parse(JSON.stringify(openApi([resource('/xapi/agents', parameters)], '1'))).paths['/xapi/agents'].get
      .parameters
  expect(required({ agent: { required: true } })).toContainEqual(
    expect.objectContaining({ name: 'agent', required: true }),
  )
  expect(required({ agent: {} })).toContainEqual(expect.objectContaining({ name: 'agent', required: false }))
})

test('every operation says what of HTTP itself it refuses', () => {
  const [answers] = Object.values(JSON.parse(JSON.stringify(openApi([resource('/xapi/about')], '1'))).paths)
  for (const { responses } of Object.values(answers as Record<string, { responses: object }>))
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '414', '417', '501']))
})

test('every reason for a refusal over HTTP has words', () => {
  const others = ['unspecified', 'quota-exceeded']
  expect(Object.keys(reasons).filter((name) => !(name in refusalWords) && !others.includes(name))).toEqual([])
})

test('the page shows text as text', () => {
  const document = { info: { title: '<b>', description: '`<i>`' }, paths: {}, components: { schemas: {} } }
  const page = pageOf(document)
  expect(page).toContain('<title>&lt;b&gt;')
  expect(page).toContain('<code>&lt;i&gt;</code>')
})
