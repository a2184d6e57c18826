import { type Kysely, sql } from 'kysely'

/**
 * A content has the digest that it is stored under. Workers insert contents themselves, and the first one under a digest stays:
 * code of an extension that forged hashes could put another content under the digest of one to come.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Not for what is stored already: verify reports that, and to read all of it here could take long.
  await sql`
    alter table treeos.blob add constraint blob_has_its_digest
      check (digest = encode(sha256('treeos.value.v1\\000'::bytea || bytes), 'hex')) not valid`.execute(db)
}
