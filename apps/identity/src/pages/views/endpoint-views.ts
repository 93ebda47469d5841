import type { DeliveryView, EndpointFormView, EndpointView } from '../portal/endpoint-view.js';

interface OfApplication {
  application: { id: string; name: string };
  form: EndpointFormView;
}

/** The pages of the callback endpoints of an application. */
export interface EndpointViews {
  endpoints: OfApplication & { endpoints: (EndpointView & { href: string })[] };
  endpoint: OfApplication & {
    endpoint: EndpointView;
    base: string;
    listedDays: number;
    deliveries: DeliveryView[];
  };
}
