import { canonicalJson, type Wake } from '@treeos/core'
import type { ChainDb } from '@treeos/store'
import type { Kysely } from 'kysely'

/**
 * Puts a wake into an inbox by a plain insert, as only the owner of the tables may: summons that no act sent, wakes of unborn
 * beings, acts under leases that are over.
 */
export async function putWake(owner: Kysely<ChainDb>, wake: Wake): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await owner
    .insertInto('inbox')
    .values({
      id: wake.id,
      being: wake.being,
      kind: wake.kind,
      priority: wake.priority,
      caller: wake.caller?.name ?? null,
      caller_role: wake.caller?.role ?? null,
      caller_cognition: wake.caller?.cognition ?? null,
      content: Buffer.from(canonicalJson(wake.content)),
      root: wake.root,
      in_reply_to: wake.inReplyTo,
      asked_role: wake.askedRole,
      hops: wake.hops,
      continues: wake.continues,
      cause: wake.cause === null ? null : Buffer.from(wake.cause, 'hex'),
      answers: wake.answers ?? null,
      looks: wake.looks ?? 0,
      expect_reply: wake.expectReply ?? true,
      channel: wake.channel ?? null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}
