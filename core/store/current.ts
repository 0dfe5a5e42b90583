/**
 * Whether the credential with id $1 still has version $2, as the column `current` of `c`: stands in every query, so that
 * what is read and whether it may be are of one snapshot (docs/adr/0009).
 */
export const currentCredential = '(select exists (select from credential where id = $1 and version = $2 and revoked is null) as current) c'
