import { getEventListeners } from 'node:events'

/** A controller that knows how many listeners are on its signal. */
export class WatchedController extends AbortController {
  get listeners(): number {
    return getEventListeners(this.signal, 'abort').length
  }
}
