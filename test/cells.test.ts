import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { counted, told } from '../core/records/cells/left-rows.ts'

/** Where each table and sequence belongs; docs/adr/0019 says why. */
const cell = [
  'statement posting attachment attachment_chunk statement_attachment document activity_definition agent_name telling',
  'credential ended_session tenant verb_tally activity_tally tally_name tally_cursor',
  'session_build tally_build recount counted_day learner_fact learner_level active_day attempt',
  'return_tally presence_tally funnel_tally leaving_tally attempt_tally tally_cut',
  'play_thing play_option play_day play_choice_day play_person play_people',
  'refusal_tally suspended_studio game_bytes game_bytes_change expiry expired_statement statement_order ' +
    'returned_statement former_learner definition_change erasure',
  'cell placement left_cell moving',
  'learner_cursor learner_seen seen_session seen_word seen_again',
].flatMap((line) => line.split(' '))
const directory = [
  'account',
  'audit_entry audit_chain',
  'build',
  'class',
  'deletion',
  'erasing',
  'export_job',
  'forward forward_set_aside forward_erasure',
  'game game_file game_report',
  'game_watch',
  'garbage',
  'invitation',
  'launch',
  'learner learner_word erasure_request consent device',
  'lti_key lti_registration lti_platform lti_login lti_context lti_link lti_launch lti_attempt lti_grade lti_refusal',
  'mail mail_link',
  'member member_invitation',
  'notification muted_notice',
  'passkey recovery_code totp',
  'personal_token',
  'portal_window',
  'pseudonym_key',
  'provider_link',
  'reserved_prefix reservation_change',
  'retention retention_run',
  'review',
  'saved_view',
  'school_class class_identity pupil pupil_identity pupil_learner roster lesson seat',
  'consent_rule parent_consent parent_link',
  'sandbox_event',
  'sign_in_provider sign_in_attempt',
  'studio studio_message studio_session',
  'tenancy',
  'upload',
  'used_solution',
  'webhook webhook_event webhook_delivery',
  'weekly_mail',
].flatMap((line) => line.split(' '))
const both = ['schema_version']
const sequences = ['statement_order', 'definition_change', 'erasure']

/** Tables that the SQL in a file names. */
function tablesIn(text: string): Set<string> {
  const code = text.replaceAll(/^\s*(\/\/|\/?\*|--).*$/gm, '')
  const names = code.matchAll(/\b(?:from|join|into|update|table|on)\s+([a-z_]+)|(?:knex|there)\('([a-z_]+)'/g)
  return new Set([...names].map(([, word, quoted]) => (word ?? quoted)!))
}

const named = (files: string, tables: readonly string[]) =>
  globSync(files)
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => {
      const found = tablesIn(readFileSync(file, 'utf8'))
      return tables.filter((table) => found.has(table)).map((table) => `${file}: ${table}`)
    })

describe('the data of games and that of studios can be in different places:', () => {
  test('each table belongs to a cell or to the directory', () => {
    const schema = readFileSync('core/process/database/schema.sql', 'utf8')
    const tables = [...schema.matchAll(/^create (?:table|sequence) (\w+)/gm)].map(([, name]) => name!)
    expect(tables.toSorted()).toEqual([...cell, ...directory, ...both].toSorted())
  })

  test('the data map of docs/privacy.md names each table once', () => {
    const [, map = ''] = readFileSync('docs/privacy.md', 'utf8').split('\n## Data map\n')
    const mapped = [...map.matchAll(/^\| (`\w+`(?:, `\w+`)*) \|/gm)].flatMap(([, names]) => names!.match(/\w+/g)!)
    const tables = [...cell, ...directory, ...both].filter((name) => !sequences.includes(name))
    expect(mapped.toSorted()).toEqual(tables.toSorted())
  })

  test('the SQL of a cell names tables of the cell only, that of the directory only its own', () => {
    expect(named('core/*/store/cell/**/*.ts', cell).length).toBeGreaterThan(20)
    expect(named('core/*/store/*.ts', directory).length).toBeGreaterThan(20)
    expect(named('core/*/store/cell/**/*.ts', directory)).toEqual([])
    expect(named('core/*/store/*.ts', cell)).toEqual([])
    expect(named('core/process/database/*.ts', [...cell, ...directory])).toEqual([])
  })

  test('the functions are those of a cell, but for those for games, accounts and the audit log', () => {
    const file = (name: string) => `core/process/database/functions/${name}`
    expect(named(file('*.sql'), directory).toSorted()).toEqual([
      ...['account', 'member', 'studio', 'studio_session'].map((table) => `${file('keep_accounts.sql')}: ${table}`),
      `${file('keep_audit.sql')}: audit_entry`,
      ...['audit_chain', 'audit_entry'].map((table) => `${file('link_audit.sql')}: ${table}`),
      ...['audit_chain', 'audit_entry'].map((table) => `${file('sweep_audit.sql')}: ${table}`),
      `${file('tell_tenant.sql')}: game`,
      `${file('tell_tenant.sql')}: studio`,
    ])
    expect(named(file('keep_accounts.sql'), cell)).toEqual([])
  })

  test('what follows from statements is deleted where a game has left its server', () => {
    const schema = readFileSync('core/process/database/schema.sql', 'utf8')
    const own = 'statement posting statement_attachment tenant credential document game_bytes game_bytes_change'
    const elsewhere = new Set([...own.split(' '), 'refusal_tally', 'left_cell', 'moving'])
    const ofGames = [...schema.matchAll(/^create table (\w+) \(((?:\n  .*)*)/gm)]
      .filter(([, name, columns]) => cell.includes(name!) && /^  game /m.test(columns!) && !elsewhere.has(name!))
      .map(([, name]) => name!)
    expect(ofGames.toSorted()).toEqual([...counted, ...told].toSorted())
  })

  test('foreign keys between the two are not more than these', () => {
    const schema = readFileSync('core/process/database/schema.sql', 'utf8')
    const across = schema
      .split(/^create table /m)
      .slice(1)
      .flatMap((table) => {
        const from = /^\w+/.exec(table)![0]
        const places = cell.includes(from) ? directory : cell
        return [...table.matchAll(/REFERENCES (\w+)/g)]
          .filter(([, to]) => places.includes(to!))
          .map(([, to]) => `${from}: ${to}`)
      })
    expect(across).toEqual(['credential: game', 'launch: credential', 'refusal_tally: game'])
  })
})
