import type { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { Cell, Column, ColumnType } from './columns.ts'
import type { Encoded, Writer } from './form.ts'

/** A row group ends with the statement that makes it this large. Memory holds one row group. */
const groupRows = 50_000
const groupBytes = 16 * 1024 * 1024

type Group = Cell[][]

const types: Record<ColumnType, object> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
}

/** A Parquet file: the columns, and `statement` with the whole JSON. */
export function parquetFile(columns: readonly Column[]): Writer {
  const all: readonly Column[] = [...columns, { name: 'statement', type: 'json' }]
  const empty = (): Group => all.map(() => [])
  let file: { writer: ByteWriter & { index: number }; parquet: ParquetWriter } | undefined
  let group = empty()
  let bytes = 0

  async function open() {
    const library = await import('hyparquet-writer')
    const writer = new library.ByteWriter() as ByteWriter & { index: number }
    const elements = all.map(({ name, type }) => ({ name, repetition_type: 'OPTIONAL', ...types[type] }))
    const schema = [{ name: 'statements', num_children: elements.length }, ...elements]
    return {
      writer,
      parquet: new library.ParquetWriter({ writer, schema: schema as never, createdBy: 'games-lrs', statistics: true }),
    }
  }

  async function write(): Promise<void> {
    file ??= await open()
    const data = group
    group = empty()
    bytes = 0
    if (data[0]!.length === 0) return
    const columnData = all.map(({ name }, at) => ({ name, data: data[at]! as never }))
    // whole statements differ, so a dictionary of them would only cost time
    await file.parquet.write({
      columnData: columnData.map((column) =>
        column.name === 'statement' ? { ...column, encoding: 'PLAIN' as const, statistics: false } : column,
      ),
      rowGroupSize: groupRows + 1,
    })
  }

  /** What has been written since the last time. */
  function written(): Uint8Array {
    if (!file) return Buffer.alloc(0)
    const part = Buffer.from(file.writer.getBytes())
    file.writer.index = 0
    return part
  }

  function take({ text, cells }: Encoded): void {
    for (const [at, cell] of cells.entries()) group[at]!.push(cell)
    group.at(-1)!.push(text)
    bytes += text.length
  }

  return {
    async add(rows) {
      for (const row of rows) {
        take(row)
        if (bytes >= groupBytes || group[0]!.length >= groupRows) await write()
      }
      return written()
    },
    async end() {
      await write()
      await file!.parquet.finish()
      return written()
    },
  }
}
