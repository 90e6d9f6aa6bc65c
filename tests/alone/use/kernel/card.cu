#if !defined(__CUDACC_RTC__)
int main(void)
{
    const cmk_plan_device h100 = {132, 232448, 5120, 90, 1, 0}, h200 = {132, 232448, 6016, 90, 1, 0};
    const cmk_card_ card = cmk_card_of_(&h200);
    char text[8];
    if (cmk_card_of_(&h100).bus_bits != 0 || cmk_card_of_(NULL).bus_bits > 6016) return 1;
    return card.bus_bits != 6016 || card.line_steps != 8 || cmk_card_text_(text, sizeof text, card) < 8 || text[7] != 0;
}
#endif
