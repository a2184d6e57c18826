import { createHash, timingSafeEqual } from 'node:crypto'
import { TreeosError } from '@treeos/core'
import { sharing } from '@treeos/telemetry/shared-answer'
import { Hono } from 'hono'
import type { Bounds } from '../authorize/bounds.ts'
import { bearerOf } from '../authorize/tokens.ts'
import type { Machine } from '../machine.ts'
import type { Env } from '../portal.ts'

const METRICS_PATH = '/metrics'
/** A scraper asks every few seconds; more often it gets the same answer. */
const SHARED_MS = 1_000

const hashOf = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest()

/**
 * The numbers of the reality for a scraper, which shows the token that the operator named for that. It opens
 * nothing else.
 */
export function metricsRoutes(
  { metrics }: Pick<Machine, 'metrics'>,
  token: string,
  { strangers }: Pick<Bounds, 'strangers'>,
) {
  const right = hashOf(token)
  const scrape = sharing(SHARED_MS, metrics)
  return new Hono<Env>().get(METRICS_PATH, async (c) => {
    if (!timingSafeEqual(hashOf(bearerOf(c.req.raw) ?? ''), right)) {
      await strangers.unknown(c.get('address'))
      throw new TreeosError(
        'UNAUTHORIZED',
        'send the token of TREEOS_SCRAPE_TOKEN as `Authorization: Bearer`',
      )
    }
    const { contentType, text } = await scrape()
    return c.body(text, 200, { 'content-type': contentType, 'cache-control': 'no-store' })
  })
}
