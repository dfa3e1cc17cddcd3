/** Normalises a text for matching, with the same length: positions also hold in the original. */

/** Traditional characters of place names, surnames and labels, each followed by its simplified one. */
const simplified =
  "亞亚佈布來来侖仑侷局係系倉仓個个們们倖幸倫伦偉伟側侧備备傢家僕仆儀仪儲储兒儿兗兖內内兩两冊册凈净凱凯別别則则剋克剛刚劃划劄札劉刘劍剑動动務务勝胜勢势勸劝勻匀匯汇區区卽即厤历厲厉叢丛吳吴呂吕員员啓启啟启" +
  "喬乔單单噹当嚮向嚴严囌苏國国圍围園园圖图團团垻坝堯尧場场塗涂墊垫墰坛墾垦壇坛壘垒壜坛壢坜壩坝壯壮壺壶壽寿夢梦夾夹婁娄孫孙學学宮宫實实寧宁審审寬宽寶宝將将尋寻對对層层屬属岡冈峯峰島岛峽峡崍崃崑昆崗岗崙仑" +
  "嵐岚嶗崂嶧峄嶺岭嶼屿嶽岳巒峦巖岩師师幹干庫库廂厢廈厦廕荫廟庙廠厂廣广廬庐張张強强彆别彌弥彙汇彥彦彿佛後后從从復复徵征恆恒愛爱慄栗態态慶庆慼戚憑凭應应懞蒙懷怀戶户揚扬撫抚敎教敘叙於于旂旗昇升時时晉晋暉晖" +
  "暫暂曆历曏向會会朮术東东枴拐柺拐査查棗枣棟栋棲栖楊杨業业極极榦干榮荣樂乐樅枞樑梁樓楼樸朴樹树樺桦橋桥機机橫横檯台櫃柜欄栏權权欒栾欖榄欽钦歐欧歷历歸归沒没沖冲涇泾涼凉淥渌淨净淩凌淶涞渦涡渾浑湞浈湧涌湯汤" +
  "準准溝沟溫温溮浉滄沧滎荥滙汇滿满漢汉漣涟漵溆潁颍潛潜潤润潯浔澗涧澠渑澤泽澱淀濃浓濛蒙濟济濰潍濱滨瀋沈瀏浏瀘泸瀝沥瀰弥瀾澜灘滩灣湾灤滦為为烏乌無无煙烟煩烦熱热燈灯營营爐炉爲为爺爷爾尔猶犹獅狮獨独獲获獻献" +
  "現现琿珲瑤瑶瑪玛環环瓊琼甌瓯甕瓮產产産产畢毕當当疇畴疊叠發发監监盤盘盧卢眞真眾众矇蒙硃朱硯砚碩硕碭砀確确碼码礄硚礦矿祿禄禪禅禮礼稅税稜棱稱称穀谷積积穫获窪洼竇窦競竞箇个箚札節节範范簡简糰团紀纪紅红納纳" +
  "級级紮扎細细紹绍終终結结絳绛綏绥經经綜综綠绿綫线維维綵彩綿绵緑绿線线編编縉缙縣县總总績绩繆缪織织繫系罈坛罎坛羅罗義义習习聖圣聞闻聯联聶聂肅肃脩修脫脱腳脚膠胶臘腊臥卧臨临臺台興兴舊旧舖铺舘馆艦舰荊荆莊庄" +
  "華华菴庵菸烟萊莱萬万葉叶葯药蒼苍蓆席蓋盖蓮莲蔔卜蔣蒋蔭荫蕪芜蕭萧薊蓟薌芗薑姜薩萨藍蓝藥药藴蕴藺蔺蘄蕲蘆芦蘇苏蘊蕴蘭兰蘿萝處处號号衆众術术衕同衚胡衛卫衝冲袷夹裏里裡里複复覺觉觀观計计訊讯託托訥讷許许註注" +
  "詔诏話话詳详誌志誼谊調调談谈諸诸諾诺謀谋謙谦謝谢謨谟譙谯譚谭譜谱讓让讚赞谿溪豐丰貝贝貞贞貢贡貨货貴贵買买費费賀贺資资賈贾賓宾賚赉賢贤賴赖賽赛贊赞贛赣趙赵車车軍军軒轩載载輝辉輪轮輿舆轄辖轅辕轉转辦办農农" +
  "迴回連连週周進进遊游運运達达遙遥遜逊遞递遠远遲迟遷迁遼辽邁迈邊边郟郏郵邮鄆郓鄉乡鄒邹鄔邬鄖郧鄧邓鄭郑鄰邻鄲郸鄴邺鄺邝醫医釣钓鈡钟鉅巨鉛铅銀银銅铜鋒锋鋪铺鋼钢錢钱錦锦錫锡錯错鍾钟鎣蓥鎭镇鎮镇鏡镜鐘钟鐵铁" +
  "鑲镶鑼锣長长門门閆闫開开間间閔闵閘闸閣阁閤合閩闽閬阆閻阎闆板關关陘陉陝陕陞升陰阴陳陈陸陆陽阳隨随險险隴陇雙双雜杂雞鸡離离雲云電电霑沾霧雾靈灵靜静鞏巩韆千韋韦韓韩響响頂顶項项順顺頗颇頭头額额顏颜顔颜類类" +
  "顧顾風风颱台飯饭餘余館馆饒饶馬马馮冯駐驻駱骆騰腾驊骅驗验驛驿體体髮发鬆松鬍胡鬥斗鬱郁魚鱼魯鲁鮁鲅鮑鲍鮮鲜鯉鲤鳥鸟鳩鸠鳳凤鳴鸣鴨鸭鶯莺鶴鹤鷄鸡鷹鹰鹹咸鹼碱鹽盐麗丽麥麦麪面麫面麯曲麴曲麵面黃黄點点黨党鼕冬" +
  "齊齐龍龙龐庞龔龚龜龟衞卫";

const pairs = new Map(simplified.match(/../g)?.map((pair) => [pair.charAt(0), pair.charAt(1)]));

/**
 * One unit for one unit: full-width forms become narrow, traditional characters simplified, long dashes short,
 * and blanks of every width, controls and invisible characters (chat programs put them around numbers) blanks.
 */
export function normalizeForMatch(text: string): string {
  return text.replace(/[^\x20-\x7e\n]/g, (unit) => {
    const code = unit.charCodeAt(0);
    if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0);
    if (/[\r\u2028\u2029]/.test(unit)) return "\n";
    if (/[\s\p{Cc}\p{Cf}]/u.test(unit)) return " ";
    if (/[‐‑‒–—―−]/.test(unit)) return "-";
    return pairs.get(unit) ?? unit;
  });
}

/** Removes what cannot be seen, for a number that is to be sent on. */
export function stripInvisible(text: string): string {
  return text.replace(/\p{Cf}/gu, "");
}
