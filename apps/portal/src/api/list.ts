import type { RouteConfig, z } from '@hono/zod-openapi'
import type { Connection } from '@treeos/client'
import type { BeingName } from '@treeos/core'
import type { Visit } from '../portal.ts'
import { answers, type OperationAccess, operation, page, type paging } from './operation.ts'

/** What a list says of itself, beside what all lists have. */
interface ListOperation<P extends string, I extends z.ZodType>
  extends Partial<OperationAccess>,
    Pick<RouteConfig, 'operationId' | 'summary' | 'description' | 'tags'> {
  readonly path: P
  readonly items: I
}

/** Describes an operation that lists: page by page, by the cursor that the page before gave. */
export const listing = <
  const P extends string,
  const I extends z.ZodType,
  const R extends { query: typeof paging },
>(
  { items, ...described }: ListOperation<P, I>,
  request: R,
) =>
  operation({
    method: 'get',
    'x-caller': 'signed-in',
    'x-work': 'read',
    ...described,
    request,
    responses: answers(page(items), described.summary ?? ''),
  })

/** One page of a list of what belongs to the being that asks. @param read the page after a cursor */
export const ownPage = <T>(
  { at, being }: Visit,
  { cursor: after, limit }: z.output<typeof paging>,
  read: (
    at: Connection,
    being: BeingName,
    which: { readonly after: string | undefined; readonly limit: number },
  ) => Promise<T>,
): Promise<T> => read(at, being, { after, limit })
