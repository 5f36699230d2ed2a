"""English names of countries, states and large cities: what tells a place from a firm, also where it is "
"typed small."""

from typing import Final

_NAMES: Final = """
afghanistan|albania|algeria|argentina|armenia|australia|austria|bangladesh|belgium|bolivia|brazil|bulgaria|cambodia|
cameroon|canada|chile|china|colombia|costa rica|croatia|cuba|cyprus|czechia|denmark|ecuador|egypt|england|estonia|
ethiopia|finland|france|georgia|germany|ghana|greece|guatemala|hong kong|hungary|iceland|india|indonesia|iran|iraq|
ireland|israel|italy|jamaica|japan|jordan|kazakhstan|kenya|korea|south korea|kuwait|laos|latvia|lebanon|lithuania|
luxembourg|malaysia|malta|mexico|mongolia|morocco|myanmar|nepal|netherlands|the netherlands|new zealand|nigeria|norway|
pakistan|panama|peru|philippines|the philippines|poland|portugal|qatar|romania|russia|saudi arabia|scotland|senegal|
serbia|singapore|slovakia|slovenia|south africa|spain|sri lanka|sweden|switzerland|syria|taiwan|tanzania|thailand|
tunisia|turkey|uganda|ukraine|uruguay|the uk|uk|usa|the us|the usa|the united states|venezuela|vietnam|wales|zambia|
alabama|alaska|arizona|arkansas|california|colorado|connecticut|delaware|florida|hawaii|idaho|illinois|indiana|iowa|
kansas|kentucky|louisiana|maine|maryland|massachusetts|michigan|minnesota|mississippi|missouri|montana|nebraska|nevada|
new hampshire|new jersey|new mexico|north carolina|ohio|oklahoma|oregon|pennsylvania|south carolina|tennessee|texas|
utah|vermont|virginia|wisconsin|wyoming|ontario|quebec|british columbia|alberta|queensland|tuscany|bavaria|catalonia|
amsterdam|ankara|antwerp|athens|atlanta|auckland|austin|baltimore|bangalore|bangkok|barcelona|basel|beijing|belfast|
belgrade|bergen|berlin|bern|birmingham|bogota|bologna|bordeaux|boston|brisbane|bristol|brooklyn|brussels|bucharest|
budapest|buenos aires|cairo|calgary|cambridge|cape town|caracas|cardiff|charlotte|chengdu|chennai|chicago|cincinnati|
cleveland|cologne|columbus|copenhagen|dallas|delhi|denver|detroit|dhaka|doha|dresden|dubai|dublin|durban|edinburgh|
florence|frankfurt|geneva|genoa|ghent|glasgow|gothenburg|granada|guangzhou|hamburg|hangzhou|hanoi|havana|helsinki|
houston|istanbul|jakarta|jerusalem|johannesburg|karachi|kathmandu|kiev|kyiv|krakow|kyoto|lagos|lahore|las vegas|leeds|
leipzig|lima|lisbon|liverpool|ljubljana|london|los angeles|la|lyon|madrid|malaga|manchester|manila|marrakech|marseille|
melbourne|memphis|mexico city|miami|milan|milwaukee|minneapolis|montreal|moscow|mumbai|munich|nairobi|naples|nashville|
new delhi|new orleans|new york|new york city|nyc|nice|nottingham|orlando|osaka|oslo|ottawa|oxford|palermo|paris|perth|
philadelphia|phoenix|pittsburgh|portland|porto|prague|pune|reykjavik|riga|rio|rio de janeiro|rome|rotterdam|sacramento|
salt lake city|san antonio|san diego|san francisco|san jose|santiago|sao paulo|sarajevo|seattle|seoul|seville|shanghai|
sheffield|shenzhen|sofia|stockholm|stuttgart|sydney|taipei|tallinn|tampa|tel aviv|the hague|tokyo|toronto|toulouse|
turin|utrecht|valencia|vancouver|venice|verona|vienna|vilnius|warsaw|washington|wellington|york|zagreb|zurich
"""
PLACES: Final = frozenset(name.strip() for name in _NAMES.replace("\n", "").split("|"))
PLACE_WORDS_MAX: Final = 3
