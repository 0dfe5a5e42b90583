import { expect, test } from 'vitest'
import { databaseHosts } from './database-hosts.ts'
import { databaseUrl } from './own-kinds.ts'

test.each([
  ['postgres://u:p@a:1/d', ['postgres://u:p@a:1/d'], 'any'],
  ['postgres://u@/d?host=/run', ['postgres://u@/d?host=/run'], 'any'],
  ['postgres://u:p@a,b/d', ['postgres://u:p@a/d', 'postgres://u:p@b/d'], 'primary'],
  ['postgres://u:p@a:1,b:2/d', ['postgres://u:p@a:1/d', 'postgres://u:p@b:2/d'], 'primary'],
  [
    'postgresql://u:p@a,b/d?sslmode=require&target_session_attrs=read-write',
    ['postgresql://u:p@a/d?sslmode=require', 'postgresql://u:p@b/d?sslmode=require'],
    'read-write',
  ],
  [
    'postgres:///d?host=%2Fa,%2Fb&port=1,2&user=u',
    ['postgres:///d?host=%2Fa&port=1&user=u', 'postgres:///d?host=%2Fb&port=2&user=u'],
    'primary',
  ],
  ['postgres://u@a/d?target_session_attrs=primary', ['postgres://u@a/d'], 'primary'],
  ['postgres://u:p@ss@a,b/d', ['postgres://u:p@ss@a/d', 'postgres://u:p@ss@b/d'], 'primary'],
])('%s', (url, urls, attributes) => {
  expect(databaseHosts(url)).toMatchObject({ urls, attributes })
  expect(databaseUrl.parse('DATABASE_URL', url)).toBe(url)
})

test.each([
  ['postgres://u:secret@a,,b/d', 'DATABASE_URL has a comma without a host.'],
  ['postgres://u:secret@a,b/d?port=1,2,3', 'DATABASE_URL must have as many ports as hosts, or one port.'],
  [
    'postgres://u:secret@a,b/d?target_session_attrs=standby',
    'DATABASE_URL has a target_session_attrs that is not "any", "primary" or "read-write".',
  ],
  ['mysql://u:secret@a,b/d', 'DATABASE_URL is not an accepted address, but must be postgres://… or postgresql://….'],
  [
    'postgres://u:secret@a,b:x/d',
    'DATABASE_URL is not an accepted address, but must be postgres://… or postgresql://….',
  ],
])('%s is refused, without its password', (url, message) =>
  expect(() => databaseUrl.parse('DATABASE_URL', url)).toThrow(message),
)
