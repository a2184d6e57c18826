import { queryOptions, useQuery } from '@tanstack/react-query'
import { orderedJson } from '../text/ordered-json.ts'
import { judgeMoments, type MarkedMoment, STEP } from './useWhatIf.ts'

/** As many of the newest moments are marked. */
const MARKED_MAX = 50

/** A past moment is judged alike for ever, so the answer is kept under the flow that judges it. */
const marksQuery = (name: string, flow: unknown, last: number) =>
  queryOptions({
    queryKey: ['flow-marks', name, orderedJson(flow), last],
    queryFn: async ({ signal }): Promise<readonly MarkedMoment[]> => {
      const first = Math.max(1, last - MARKED_MAX + 1)
      const steps = Array.from({ length: Math.ceil((last - first + 1) / STEP) }, (_, i) => last - i * STEP)
      const found = await Promise.all(
        steps.map((until) =>
          judgeMoments(name, { flow, since: Math.max(first, until - STEP + 1), until }, signal),
        ),
      )
      return found.flatMap(({ judged }) => judged.toReversed())
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

/**
 * The newest moments of a being as its published flow judges them, newest first; undefined while that is not
 * known.
 * @param last number of its last moment; 0 for none that may be read
 */
export const useFlowMarks = (name: string, published: unknown, last: number) =>
  useQuery({ ...marksQuery(name, published, last), enabled: last > 0 }).data
