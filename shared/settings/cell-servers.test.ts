import { describe, expect, test } from 'vitest'
import { readSetting } from './settings.ts'

const read = (value: string) => readSetting('LRS_CELL_SERVERS', { LRS_CELL_SERVERS: value })

describe('LRS_CELL_SERVERS', () => {
  test('names databases, each with one address or several', () => {
    const west = 'postgres://u:p@one,two:5433/lrs?target_session_attrs=primary'
    expect([...read(`east=postgres://u:p@host/lrs, west=${west}`)]).toEqual([
      ['east', 'postgres://u:p@host/lrs'],
      ['west', west],
    ])
    expect(readSetting('LRS_CELL_SERVERS', {}).size).toBe(0)
    expect(read('').size).toBe(0)
  })

  test.each([
    'postgres://u:secret@host/lrs',
    'East=postgres://u:secret@host/lrs',
    'east=mysql://u:secret@host/lrs',
    'east=postgres://u:secret@host/lrs,east=postgres://u:secret@other/lrs',
    'east=',
  ])('%s is refused without showing it', (value) => {
    expect(() => read(value)).toThrow(/^LRS_CELL_SERVERS/)
    expect(() => read(value)).not.toThrow(/secret/)
  })
})

describe('LRS_READ_URLS', () => {
  const read = (LRS_READ_URLS: string) => readSetting('LRS_READ_URLS', { LRS_READ_URLS })

  test('has an address of one server each', () => {
    expect(read('postgres://u:p,w@b/lrs, postgresql:///lrs?host=/run/c')).toEqual([
      'postgres://u:p,w@b/lrs',
      'postgresql:///lrs?host=/run/c',
    ])
    expect(readSetting('LRS_READ_URLS', {})).toEqual([])
  })

  test.each(['postgres://b,c/lrs', 'http://b/lrs', 'b', 'postgres:///lrs?host=b,c'])('refuses %s', (value) => {
    expect(() => read(value)).toThrow(/^LRS_READ_URLS/)
  })
})
