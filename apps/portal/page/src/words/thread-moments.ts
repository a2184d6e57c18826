import { api } from '../api/client.ts'
import { askingWhole, type FoundBy } from '../api/deed.ts'
import { PAGE_MAX } from '../api/queries.ts'

/** As many pages as hold a moment for each line that a thread shows. */
const PAGES_MAX = 3

/** The finished moments of a thread, of those whose past is open. */
export const threadMomentsQuery = (id: string) =>
  askingWhole(
    ['thread', id, 'moments'],
    api.threads[':id'].moments.$get,
    [
      (cursor) => ({
        param: { id },
        query: { limit: PAGE_MAX, ...(cursor === null ? {} : { cursor }) },
      }),
    ],
    PAGES_MAX,
  )

export type ThreadMoment = FoundBy<ReturnType<typeof threadMomentsQuery>>['items'][number]
