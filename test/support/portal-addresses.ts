import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..', '..')

/** Every address of the portal that its code names, with its method: `.get('/x', …)` and `.owner('GET /x', …)`. */
export const portalAddresses = globSync('portal/routes/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] }).flatMap(
  (path) =>
    [
      ...readFileSync(join(root, path), 'utf8').matchAll(
        /(?:\.(get|post|put|patch|delete)\(\s*'|'(GET|POST|PUT|DELETE) )(\/[^']*)'/g,
      ),
    ].map(([, method, declared, address]) => [(declared ?? method!).toUpperCase(), address!] as const),
)
