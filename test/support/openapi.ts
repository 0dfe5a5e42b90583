import addFormats from 'ajv-formats'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import type { Reply } from './xapi.ts'

/** Checks that an answer is as the OpenAPI document of its gateway says. */
export type Contract = (method: string, path: string, reply: Reply) => void

const contracts = new Map<string, Contract>()

/** Reads the OpenAPI document of a gateway. One that is the same as before is not compiled again. */
export async function contractOf(url: string): Promise<Contract> {
  const text = await (await fetch(`${url}/openapi.json`)).text()
  if (!contracts.has(text)) contracts.set(text, compile(text))
  return contracts.get(text)!
}

function compile(text: string): Contract {
  // oxlint-disable-next-line typescript/no-explicit-any -- the tests look at any place of it
  const document: any = JSON.parse(text)
  const ajv = new Ajv2020({ strict: false })
  // ajv-formats exports its function in a way of CommonJS that TypeScript does not see
  ;(addFormats as unknown as typeof addFormats.default)(ajv)
  ajv.addFormat('iri', (text) => URL.canParse(text))
  ajv.addFormat('binary', true)
  ajv.addSchema(document, 'openapi')
  const compiled = new Map<string, ValidateFunction>()

  const validator = (pointer: string): ValidateFunction => {
    if (!compiled.has(pointer)) compiled.set(pointer, ajv.compile({ $ref: `openapi#${pointer}` }))
    return compiled.get(pointer)!
  }

  return (method, path, reply) => {
    const operation = document.paths[path]?.[method.toLowerCase()]
    // 405 and 404 answer what is not in the document
    if (!operation) {
      expect([404, 405, 204]).toContain(reply.status)
      return
    }
    const told = `${method} ${path} ${reply.status}: ${reply.text.slice(0, 300)}`
    const answer = operation.responses[reply.status]
    expect(Object.keys(operation.responses), told).toContain(String(reply.status))
    expect(reply.headers.has('x-experience-api-version'), told).toBe(true)
    if (reply.text === '') return
    const type = reply.headers.get('content-type')!.split(';')[0]!
    const as = [type, '*/*'].find((one) => answer.content?.[one])
    expect(as, `${told}: ${type} is described`).toBeDefined()
    if (!type.endsWith('json') || as === '*/*') return
    const at = ['paths', path, method.toLowerCase(), 'responses', reply.status, 'content', as!, 'schema']
    const check = validator(`/${at.map(pointed).join('/')}`)
    expect(check(reply.json), `${told}: ${ajv.errorsText(check.errors)}`).toBe(true)
  }
}

/** A name as part of a JSON Pointer in a URI. */
const pointed = (name: string | number): string =>
  encodeURIComponent(String(name).replaceAll('~', '~0').replaceAll('/', '~1'))
