import { Client } from 'pg'

/** The newest entry of the audit log, as `position:hash` (docs/audit.md); undefined: the store has none. */
export async function auditHead(url: string): Promise<string | undefined> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query("select to_regclass('public.audit_chain') is not null as there")
    if (!rows[0].there) return undefined
    const found = await client.query("select position || ':' || encode(hash, 'hex') as head from public.audit_chain")
    return found.rows[0]?.head
  } finally {
    await client.end()
  }
}
