/** The platforms whose order exports are known, in the order in which a header is compared with them. */

import { alibaba } from "./alibaba.ts";
import { amazon } from "./amazon.ts";
import { douyin } from "./douyin.ts";
import { ebay } from "./ebay.ts";
import { etsyItems, etsyOrders } from "./etsy.ts";
import { jd } from "./jd.ts";
import { pddCourier, pddOrders } from "./pdd.ts";
import type { Preset } from "./preset.ts";
import { shopify } from "./shopify.ts";
import { taobao, taobaoShipping, taobaoWithoutReceivers } from "./taobao.ts";
import { waybills } from "./waybills.ts";
import { weidian } from "./weidian.ts";
import { woocommerce } from "./woocommerce.ts";
import { woocommerceWords } from "./woocommerce-words.ts";
import { xiaohongshu } from "./xiaohongshu.ts";
import { youzanGoods, youzanOrders } from "./youzan.ts";

/** The more certain first: a sheet of receivers alone comes behind the lists that have the same columns. */
export const presets: readonly Preset[] = [
  shopify,
  etsyItems,
  etsyOrders,
  ebay,
  amazon,
  woocommerce,
  woocommerceWords,
  douyin,
  alibaba,
  taobao,
  taobaoWithoutReceivers,
  pddOrders,
  pddCourier,
  xiaohongshu,
  youzanOrders,
  youzanGoods,
  weidian,
  jd,
  waybills,
  taobaoShipping,
];
