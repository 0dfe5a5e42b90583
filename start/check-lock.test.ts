import { expect, test } from 'vitest'
import { withoutHash } from './check-lock.ts'

const elsewhere = { dev: true, optional: true, os: ['darwin'], cpu: ['arm64'] }

test.each([
  ['the project itself', { '': {} }, []],
  ['a package with a hash', { 'node_modules/a': { integrity: 'sha512-x' } }, []],
  ['one without', { 'node_modules/a': {} }, ['node_modules/a']],
  ['one of development', { 'node_modules/a': { dev: true } }, ['node_modules/a']],
  ['an optional one of development for another platform', { 'node_modules/a': elsewhere }, []],
  ['with another C library', { 'node_modules/a': { ...elsewhere, os: ['linux'], cpu: ['x64'], libc: ['musl'] } }, []],
  ['for Linux on x64', { 'node_modules/a': { ...elsewhere, os: ['linux'], cpu: ['x64'] } }, ['node_modules/a']],
  ['for every platform', { 'node_modules/a': { dev: true, optional: true } }, ['node_modules/a']],
  ['that runs in operation', { 'node_modules/a': { ...elsewhere, dev: false } }, ['node_modules/a']],
])('a lockfile with %s', (_about, packages, refused) => expect(withoutHash(packages)).toEqual(refused))
