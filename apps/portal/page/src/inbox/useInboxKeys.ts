import { useHotkeys } from '@mantine/hooks'

interface Keys {
  readonly onNext: () => void
  readonly onPrevious: () => void
  readonly onClose: () => void
  readonly onReply: () => void
}

/** j and k go through the list, e closes what is only read, r goes to the answer. In a field they are letters. */
export const useInboxKeys = ({ onNext, onPrevious, onClose, onReply }: Keys): void =>
  useHotkeys([
    ['j', onNext],
    ['k', onPrevious],
    ['e', onClose],
    ['r', onReply],
  ])
