"""The canteen agent as the kit wants it."""

from __future__ import annotations

from agents.canteen.actions import act
from agents.canteen.answers import answer_offline
from agents.canteen.cards import CARD_TYPES, build_card
from agents.canteen.seed import seed
from agents.canteen.tools import ACTION_TOOLS, build_server
from agents.kit.spec import AgentSpec, Skill
from agents.kit.status import status_lines

status = status_lines(
    {
        "search_dishes": ("正在查菜单…", "Looking through the menus…"),
        "list_canteens": ("正在查各食堂的人流…", "Looking at the canteens…"),
        "list_stalls": ("正在查档口…", "Looking up the stalls…"),
        "crowding_heatmap": ("正在统计各食堂的人流…", "Counting heads in the canteens…"),
        "dish_reviews": ("正在找评价…", "Looking for reviews…"),
        "canteen_details": ("正在看这个食堂…", "Looking at the canteen…"),
        "stall_details": ("正在看这个档口…", "Looking at the stall…"),
        "dish_details": ("正在看这道菜…", "Looking at the dish…"),
        "walk_to": ("正在找路…", "Looking for the way…"),
        "canteen_menu": ("正在翻今天的菜单…", "Reading today's menu…"),
        "recommend_dishes": ("正在想吃什么…", "Thinking about what to eat…"),
        "booking_form": ("正在准备订餐表…", "Preparing the form…"),
        "reserve_meal": ("正在订餐…", "Booking…"),
        "book_meal": ("正在订餐…", "Booking…"),
        "identify": ("需要确认身份…", "Checking who you are…"),
        "meal_card": ("正在查饭卡…", "Looking up the meal card…"),
    }
)

SPEC = AgentSpec(
    name="canteen",
    description="校园食堂：菜品、档口、拥挤程度和评价。Campus canteens: dishes, stalls, crowding and reviews.",
    version="0.1.0",
    skills=(
        Skill(
            id="dishes",
            name="菜品推荐 / Dishes",
            description="按口味、价格、餐次、食堂找菜，看菜单。Finds dishes by taste, price, meal and canteen. Menus.",
            tags=(
                *("菜", "菜品", "辣", "吃", "美食", "早餐", "午餐", "晚餐"),
                *("素食", "清真", "便宜", "点餐", "饿", "菜单"),
                *("dish", "food", "eat", "spicy", "lunch", "dinner", "breakfast"),
                *("vegetarian", "halal", "meal", "hungry", "menu"),
            ),
            examples=(
                "推荐几道辣的菜",
                "15元以下的午餐有什么",
                "recommend some spicy dishes",
                "vegetarian dinner under 12 yuan",
                "今天的菜单",
                "what should I eat?",
            ),
        ),
        Skill(
            id="crowding",
            name="拥挤程度 / Crowding",
            description="各食堂现在有多挤、还有多少座位。How full each canteen is and how many seats are free.",
            tags=(
                "食堂",
                "餐厅",
                "拥挤",
                "不挤",
                "人少",
                "热力图",
                "错峰",
                "canteen",
                "crowded",
                "busy",
                "seat",
                "heat map",
            ),
            examples=("哪个食堂现在最不挤", "各食堂现在的拥挤热力图", "which canteen is least crowded now?"),
        ),
        Skill(
            id="stalls",
            name="档口与评价 / Stalls and reviews",
            description="各食堂的档口、排队时间和菜品评价。Stalls of each canteen, queues, and reviews of dishes.",
            tags=("档口", "窗口", "排队", "评价", "stall", "queue", "review", "cuisine"),
            examples=("二食堂有哪些档口", "麻婆豆腐的评价怎么样", "which stalls are in Canteen Two?"),
        ),
        Skill(
            id="booking",
            name="订餐与饭卡 / Booking and meal card",
            description="预订食堂的餐位，查询饭卡余额。Books meals at a canteen and shows the balance of a meal card.",
            tags=(
                *("订餐", "预订", "预定", "订位", "包间", "饭卡", "餐卡"),
                *("book a meal", "book a table", "reservation", "meal card"),
            ),
            examples=(
                *("帮我订餐", "订二食堂的午餐", "我的饭卡余额"),
                *("I want to book a meal", "book lunch at canteen two", "what is the balance of my meal card?"),
            ),
        ),
    ),
    card_types=CARD_TYPES,
    system_prompt=(
        "You are the canteen agent of a university campus. You answer questions about dishes, stalls, crowding and "
        "reviews. Call a tool for every fact; never invent a dish or a price. Name dishes with stall, canteen "
        "and price. Ids: c1 to c7. If nothing fits, say so and suggest what to relax. A meal that the user "
        "describes is booked with reserve_meal, which asks the user for the rest; without any wish, booking_form "
        "shows a form. The meal card is shown after a card that the user fills in. Never ask for such values yourself."
    ),
    seed=seed,
    mcp_server=build_server,
    answer_offline=answer_offline,
    build_card=build_card,
    status=status,
    act=act,
    action_tools=ACTION_TOOLS,
    default_port=8101,
)
