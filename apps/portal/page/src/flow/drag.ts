import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { type RefObject, useEffect, useRef, useState } from 'react'

/** On which side of an item the dragged one would come. */
export type Side = 'above' | 'below'

interface DragHandles {
  readonly item: RefObject<HTMLLIElement | null>
  readonly handle: RefObject<HTMLSpanElement | null>
  /** where the dragged item would come, while it is held over this one */
  readonly side: Side | null
}

/** Under which the id of what is dragged is kept; other things on the page are dragged without it. */
const ID = 'item'

/**
 * An item of a list that is dragged by its handle, and takes others above or below itself. Ids are unique on
 * the page.
 */
export function useDrag(id: number, onDrop: (dragged: number, side: Side) => void): DragHandles {
  const item = useRef<HTMLLIElement>(null)
  const handle = useRef<HTMLSpanElement>(null)
  const [side, setSide] = useState<Side | null>(null)
  const dropped = useRef(onDrop)
  dropped.current = onDrop
  useEffect(() => {
    const [whole, grip] = [item.current, handle.current]
    if (whole === null || grip === null) return
    const sideAt = (y: number): Side => {
      const { top, height } = whole.getBoundingClientRect()
      return y < top + height / 2 ? 'above' : 'below'
    }
    return combine(
      // Only the handle: text could not be marked in the fields of an element that can be dragged.
      draggable({
        element: grip,
        getInitialData: () => ({ [ID]: id }),
        onGenerateDragPreview: ({ nativeSetDragImage }) => nativeSetDragImage?.(whole, 16, 16),
      }),
      dropTargetForElements({
        element: whole,
        canDrop: ({ source }) => typeof source.data[ID] === 'number' && source.data[ID] !== id,
        onDrag: ({ location }) => setSide(sideAt(location.current.input.clientY)),
        onDragLeave: () => setSide(null),
        onDrop: ({ source, location }) => {
          setSide(null)
          dropped.current(source.data[ID] as number, sideAt(location.current.input.clientY))
        },
      }),
    )
  }, [id])
  return { item, handle, side }
}
