import { estimated, type TextMeasure } from './words.ts'

const PX = 100
let context: CanvasRenderingContext2D | null | undefined

/** As wide as this browser draws it, in the font of the page. */
export const measure: TextMeasure = (text) => {
  if (context === undefined) {
    context = document.createElement('canvas').getContext('2d')
    if (context !== null) context.font = `${PX}px ${getComputedStyle(document.body).fontFamily}`
  }
  return context === null ? estimated(text) : context.measureText(text).width / PX
}
