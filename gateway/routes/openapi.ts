import { readFileSync } from 'node:fs'
import { json } from '../http/answer.ts'
import { openApi } from '../openapi/document.ts'
import { pageOf, pagePolicy } from '../openapi/page.ts'
import type { Resource } from '../resource.ts'

/** The description of these resources, and of itself: as OpenAPI, and as a page. Both are made at the first request. */
export function openApiResources(described: readonly Resource[]): Resource[] {
  let document: ReturnType<typeof openApi> | undefined
  const made = () => (document ??= openApi([...described, ...own], versionOf()))
  const own: Resource[] = [
    {
      path: '/openapi.json',
      open: true,
      actions: { GET: { parameters: {}, run: () => json(JSON.stringify(made())) } },
    },
    {
      path: '/openapi',
      open: true,
      actions: {
        GET: {
          parameters: {},
          run: () => ({
            ...json(pageOf(made())),
            headers: ['Content-Type', 'text/html; charset=utf-8', 'Vary', 'Accept-Encoding', ...policy],
          }),
        },
      },
    },
  ]
  return own
}

const policy = ['Content-Security-Policy', pagePolicy]
const versionOf = (): string => JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
