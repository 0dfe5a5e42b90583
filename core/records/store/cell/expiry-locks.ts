import { sql } from '../../../process/database/database.ts'
import { isHere } from './current.ts'

/** A game that is being moved, or was moved away, is left alone. */
export const stays = sql('expiry_stays')`select pg_try_advisory_xact_lock_shared(2026, 4)
    and exists (select from tenant g where g.game = $1 and ${isHere}) as stays`
/** From now on no other transaction writes statements of the cell. */
export const lockOrder = sql('expiry_lock')`select pg_advisory_xact_lock(2026, order_lock(this_cell()))`
/** Every core forgets which names are stored. */
export const countErasure = sql('expiry_count_erasure')`select nextval('erasure')`
